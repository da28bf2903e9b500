/** Longer than any step of the worker takes. */
export const LEADER_TIMEOUT_MS = 10_000;
