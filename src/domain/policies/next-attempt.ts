const MIN_WAIT_MS = 1_000;
/** A slow failure also delays others, so its pauses are longer. */
const MIN_WAIT_PER_DURATION = 10;
const MAX_JOB_WAIT_MS = 60_000;
const MAX_JOB_WAIT_PER_DURATION = 400;
/** A row changes by itself only if a change names it; there may be many. */
const MAX_ROW_WAIT_MS = 3_600_000;

/** An organization that is edited again within this time is told once. */
export const DEBOUNCE_MS = 1_000;

/** Of a message to an endpoint. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

/** How long a job rests after this many failures, of which the last took `tookMs`. */
export function jobWait(failures: number, tookMs: number): number {
  return Math.min(waitAfter(failures, tookMs), Math.max(MAX_JOB_WAIT_MS, MAX_JOB_WAIT_PER_DURATION * tookMs));
}

/** The same for an unshown row. */
export function rowWait(failures: number, tookMs: number): number {
  return Math.min(waitAfter(failures, tookMs), MAX_ROW_WAIT_MS);
}

function waitAfter(failures: number, tookMs: number): number {
  return Math.max(MIN_WAIT_MS, MIN_WAIT_PER_DURATION * tookMs) * 2 ** (failures - 1);
}

/** A clock that was set back does not delay the message. */
export function firstAttemptAt(generation: number, now: number): number {
  return Math.min(generation / 1_000, now) + DEBOUNCE_MS;
}

/**
 * When a message is sent again whose last of `attempts` attempts failed now. Null: not before there
 * is a newer one, because it has failed for a day.
 */
export function nextAttemptAt(attempts: number, failingSince: number, now: number): number | null {
  const next = now + Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
  return next <= failingSince + GIVE_UP_AFTER_MS ? next : null;
}
