/** No step of the worker takes as long. */
export const FROZEN_AFTER_MS = 10_000;
