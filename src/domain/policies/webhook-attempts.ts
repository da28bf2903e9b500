/** An organization that is edited again within this time is told once. */
export const DEBOUNCE_MS = 1_000;

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

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
