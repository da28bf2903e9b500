const MIN_WAIT_MS = 1_000;
/** A slow failure also delays others, so its pauses are longer. */
const MIN_WAIT_PER_DURATION = 10;
const MAX_JOB_WAIT_MS = 60_000;
const MAX_JOB_WAIT_PER_DURATION = 400;
/** A row changes by itself only if a change names it; there may be many. */
const MAX_ROW_WAIT_MS = 3_600_000;

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
