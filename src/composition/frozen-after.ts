/** Longer than any step of the worker takes. */
export const FROZEN_AFTER_MS = 10_000;
