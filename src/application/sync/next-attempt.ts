import type { WebhookDelivery } from '../../domain/model/webhook.js';

const MIN_WAIT_MS = 1_000;
/** A slow failure also delays others, so its pauses are longer. */
const MIN_WAIT_PER_DURATION = 10;
/** After a repair, all is right again soon. */
const MAX_JOB_WAIT_MS = 5_000;
/** What it depends on may be mended without a change of it. A slow row delays others. */
const MAX_ROW_WAIT_MS = 60_000;
const MAX_ROW_WAIT_PER_DURATION = 1_000;

/** Of a message to an endpoint. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10 * 60_000;
const MAX_REST_MS = 60 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

/** How long a job rests after this many failures, of which the last took `tookMs`. */
export function jobWait(failures: number, tookMs: number): number {
  return Math.min(waitAfter(failures, tookMs), Math.max(MAX_JOB_WAIT_MS, MIN_WAIT_PER_DURATION * tookMs));
}

/** The same for an unshown row. */
export function rowWait(failures: number, tookMs: number): number {
  return Math.min(waitAfter(failures, tookMs), Math.max(MAX_ROW_WAIT_MS, MAX_ROW_WAIT_PER_DURATION * tookMs));
}

function waitAfter(failures: number, tookMs: number): number {
  return Math.max(MIN_WAIT_MS, MIN_WAIT_PER_DURATION * tookMs) * 2 ** (failures - 1);
}

/** How long an endpoint that failed is not called at all. */
export function restAfter(retryAfterMs: number): number {
  return Math.min(Math.max(FIRST_PAUSE_MS, retryAfterMs), MAX_REST_MS);
}

/**
 * When a message is sent again that failed now. Null: not before there is a newer one, because it
 * has failed for a day. Those that fail together differ in the last digits of their generations.
 */
export function nextAttemptAt(
  { generation, attempts, failingSince }: WebhookDelivery,
  now: number,
  retryAfterMs: number,
): number | null {
  const jitter = 1 + (generation % 1_000) / 4_000;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempts, MAX_PAUSE_MS) * jitter;
  const next = now + Math.max(pause, restAfter(retryAfterMs));
  return next <= (failingSince ?? now) + GIVE_UP_AFTER_MS ? next : null;
}
