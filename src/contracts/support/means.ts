import type { Runner } from '../runner.js';

/** What an adapter has no means for, by the names that these have in the subject: tests that need them are skipped. */
export interface Lacking<Means extends string> {
  readonly lacks?: readonly Means[];
}

/** The means of that name, null where the adapter lacks them; they are never left out unsaid. */
export function meansOf<Subject, Name extends keyof Subject & string>(
  subject: Subject,
  name: Name,
  { lacks = [] }: Lacking<string>,
): NonNullable<Subject[Name]> | null {
  if (lacks.includes(name)) return null;
  const means = subject[name];
  if (means != null) return means;
  throw new Error(
    `The subject has no \`${name}\`: give it, or call the suite with \`{ lacks: ['${name}'] }\` if there can be none`,
  );
}

/** Defines tests that need means of that name: where the adapter lacks them, they are skipped, and their titles say why. */
export function itNeeding(
  it: Runner['it'],
  name: string,
  { lacks = [] }: Lacking<string>,
): (title: string, test: () => Promise<void> | void) => void {
  if (!lacks.includes(name)) return it;
  return (title, test) => it.skip(`${title} (needs \`${name}\`, which the adapter lacks)`, test);
}
