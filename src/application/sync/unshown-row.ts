import type { UnshownRow } from '../../domain/model/read-model.js';
import type { RefusedRow } from '../../domain/model/source.js';
import { rowWait } from './next-attempt.js';

/** The id as a storage can hold it: PostgreSQL has no character NUL. */
export function storable(id: string): string {
  return id.replaceAll('\0', '\x01');
}

/** The ids that a storage holds as this one. */
export function storedAs(id: string): readonly string[] {
  return id.includes('\x01') ? [id, id.replaceAll('\x01', '\0')] : [id];
}

/** If a kind has more unshown rows, the cause is not in the rows. */
export const MAX_UNSHOWN_ROWS = 100;

const VALUES = /"[^"]*"|'[^']*'|“[^”]*”|«[^»]*»|\d+/g;

/** `attempts`: the failed ones, of which the last took `tookMs`. */
export function unshownRow({ id, reason }: RefusedRow, attempts = 1, tookMs = 0): UnshownRow {
  return { id, reason, cause: causeOf(reason), attempts, retryAfterMs: rowWait(attempts, tookMs) };
}

/** Servers quote the values that they do not accept. */
export function causeOf(reason: string): string {
  return reason.replace(VALUES, '…');
}
