const MILLIS_IN_TEXT = 3;

/**
 * Milliseconds since 1970 of `2024-05-06 07:08:09.123456` in a time zone, with finer digits cut; null: not a time. MySQL has dates without
 * a day, and days that do not exist in the calendar.
 */
export function epochIn(zone: string, written: string): number | null {
  const [date = '', time = '00:00:00'] = written.split(' ');
  const [whole = '', fraction = ''] = time.split('.');
  const millis = fraction.slice(0, MILLIS_IN_TEXT).padEnd(MILLIS_IN_TEXT, '0');
  const inUtc = Date.parse(`${date}T${whole}.${millis}Z`);
  // JavaScript reads the 30th of February as the first of March.
  if (Number.isNaN(inUtc) || !new Date(inUtc).toISOString().startsWith(date)) return null;
  return zone === 'UTC' ? inUtc : fromLocal(zone, inUtc);
}

/** Converts the local time, which is passed as if it were UTC. For an hour that occurs twice, the first one counts. */
function fromLocal(zone: string, shown: number): number {
  const [before, after] = [offsetAt(zone, shown - DAY_MS), offsetAt(zone, shown + DAY_MS)];
  const moments = [...new Set([shown - before, shown - after])].toSorted((a, b) => a - b);
  // In spring, clocks skip an hour: a time within it is read as if they did not.
  return moments.find((moment) => moment + offsetAt(zone, moment) === shown) ?? shown - before;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(zone: string, moment: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const shown = new Date(0);
  shown.setUTCFullYear(parts.get('era') === 'BC' ? 1 - of('year') : of('year'), of('month') - 1, of('day'));
  shown.setUTCHours(of('hour'), of('minute'), of('second'));
  return shown.getTime() - Math.floor(moment / 1_000) * 1_000;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
