/** A time as SQL, in milliseconds since 1970, whatever the settings of the server. */
export function epochMs(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)`;
}

/** Digits or `Infinity`; a time that cannot be read is never null. */
export function toMillis(time: string | null): number | null {
  if (time === null) return null;
  const millis = Number(time);
  if (time === '' || Number.isNaN(millis))
    throw new Error(`PostgreSQL returned "${time}" instead of milliseconds since 1970`);
  return millis;
}

/** The tables that the API reads, apart from the generations of the organizations. */
export const READABLE_TABLES = [
  'api_keys',
  'categories',
  'tags',
  'blogs',
  'list_entries',
  'list_totals',
  'titles',
  'hidden_websites',
];
