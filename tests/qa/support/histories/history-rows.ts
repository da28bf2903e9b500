/** Three small numbers choose the rows and the values of a statement. */
export type Statement = (a: number, b: number, c: number) => string;

export const organization = (n: number) => `o${n % 2}`;
export const website = (n: number) => `w${n % 3}`;
export const blog = (n: number) => `b${n % 5}`;
export const category = (n: number) => `c${n % 4}`;
export const tag = (n: number) => `t${n % 3}`;
export const key = (n: number) => `k${n % 3}`;
export const slug = (n: number) => `s${n % 16}`;
/** One lower-case letter: see the expected read model. */
export const name = (n: number) => String.fromCharCode(97 + (n % 8));
export const pick = <Value>(values: readonly Value[], n: number) => values[n % values.length] as Value;

/** The tables whose slugs are unique in a website, and an id of theirs. */
export const PLACED = [
  { table: 'blogs', idOf: blog },
  { table: 'categories', idOf: category },
  { table: 'tags', idOf: tag },
] as const;
export const ALL = [
  ...PLACED,
  { table: 'organizations', idOf: organization },
  { table: 'websites', idOf: website },
  { table: 'api_keys', idOf: key },
] as const;
