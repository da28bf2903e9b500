const MILLIS_IN_TEXT = 3;

/** Milliseconds of `2024-05-06 07:08:09.123456` in a time zone; null: no time, as MySQL allows. */
export function epochIn(zone: string, written: string): number | null {
  const [date = '', time = '00:00:00'] = written.split(' ');
  const [whole = '', fraction = ''] = time.split('.');
  const millis = fraction.slice(0, MILLIS_IN_TEXT).padEnd(MILLIS_IN_TEXT, '0');
  const inUtc = Date.parse(`${date}T${whole}.${millis}Z`);
  // JavaScript reads the 30th of February as the first of March.
  if (Number.isNaN(inUtc) || !new Date(inUtc).toISOString().startsWith(date)) return null;
  return zone === 'UTC' ? inUtc : fromLocal(zone, inUtc);
}

/**
 * The local time is passed as if it were UTC. Of an hour that occurs twice, the second counts, as
 * on PostgreSQL; one that clocks skip is read as if they did not.
 */
function fromLocal(zone: string, localTime: number): number {
  const later = localTime - offsetAt(zone, localTime + DAY_MS);
  return later + offsetAt(zone, later) === localTime ? later : localTime - offsetAt(zone, localTime - DAY_MS);
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** From `GMT`, `GMT+05:30` or `GMT-00:44:30`. */
function offsetAt(zone: string, moment: number): number {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const written = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(written) ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}
