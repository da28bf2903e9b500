import type { UnshownRow } from '../model/read-model.js';
import type { RefusedRow } from '../model/source.js';
import { rowWait } from './retry-wait.js';

/** With more rows that have one cause, it is not these rows that are wrong. */
export const MAX_ROWS_OF_A_CAUSE = 100;

const VALUES = /"[^"]*"|'[^']*'|“[^”]*”|«[^»]*»|\d+/g;

/** `attempts`: the failed ones, of which the last took `tookMs`. */
export function unshownRow({ id, reason }: RefusedRow, attempts = 1, tookMs = 0): UnshownRow {
  return { id, reason, cause: causeOf(reason), attempts, retryAfterMs: rowWait(attempts, tookMs) };
}

/** Servers quote the values that they do not accept. */
export function causeOf(reason: string): string {
  return reason.replace(VALUES, '…');
}
