/** A time as SQL: milliseconds since 1970, finer digits cut, in a form that no setting of a server or a session has a say in. */
export function epochMs(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)`;
}

/** What the driver makes of it: digits, or `Infinity`. Null is null, and never a time that could not be read. */
export function toMillis(time: string | null): number | null {
  if (time === null) return null;
  const millis = Number(time);
  if (time === '' || Number.isNaN(millis))
    throw new Error(`PostgreSQL sent "${time}" for milliseconds since 1970`);
  return millis;
}
