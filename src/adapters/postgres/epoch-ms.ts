/**
 * A time as SQL: milliseconds since 1970, with finer digits cut, in a form that does not depend on settings of the server or the session.
 */
export function epochMs(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)`;
}

/** Parses what the driver returns: digits, or `Infinity`. Null only means null; a time that cannot be read is never null. */
export function toMillis(time: string | null): number | null {
  if (time === null) return null;
  const millis = Number(time);
  if (time === '' || Number.isNaN(millis))
    throw new Error(`PostgreSQL returned "${time}" instead of milliseconds since 1970`);
  return millis;
}
