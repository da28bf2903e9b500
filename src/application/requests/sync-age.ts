import type { SyncAge } from '../../domain/ports/reading/generations.js';

/** On a standby, which may get nothing more without noticing it. */
const ON_STANDBY_MS = 60_000;

/** How old the last beat may be before nothing is served. `setting`: null if there is none. */
export function maxSyncAgeMs({ isStandby }: SyncAge, setting: number | null): number {
  return setting ?? (isStandby ? ON_STANDBY_MS : Number.POSITIVE_INFINITY);
}

/** The read tables may lack a revocation, however well their server answers. */
export class SyncTooOld extends Error {
  override readonly name = 'SyncTooOld';

  constructor({ isStandby, syncAgeMs }: SyncAge, limitMs: number) {
    const server = isStandby ? 'a standby' : 'the primary';
    const age = Number.isFinite(syncAgeMs) ? `${Math.round(syncAgeMs / 1000)} s ago` : 'never';
    super(
      `The sync worker beat ${age} in the read tables of ${server}: requests are refused after ${limitMs / 1000} s`,
    );
  }
}
