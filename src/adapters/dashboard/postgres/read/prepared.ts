/** A plan made for few keys may be bad for more than this, and planning costs little per key then. */
const MAX_PREPARED_KEYS = 100;

/**
 * Settings of the session in which statements are prepared. A plan that was made while a table was small is kept while the table grows.
 * Prepared statements look rows up by keys, and must not scan whole tables then. One plan is good for all values; PostgreSQL would
 * otherwise plan some statements each time.
 */
export const SESSION_OF_PREPARED = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' } as const;

let outdated = 0;

/** For a statement that is sent repeatedly: PostgreSQL keeps its plan under this name while the connection lasts. */
export function prepared(statement: string): { readonly name: string } {
  return { name: `content_sync_${statement}_${outdated}` };
}

export function preparedForFew(statement: string, keys: readonly string[]): { readonly name?: string } {
  return keys.length <= MAX_PREPARED_KEYS ? prepared(statement) : {};
}

/**
 * The type of a dashboard column has changed, so PostgreSQL rejects the prepared statement. Detected by the routine, because the message
 * may be in any language.
 */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

/** Gives statements new names from now on. */
export function renamePrepared(): void {
  outdated++;
}

/** Changes whenever statements get new names. */
export function preparedGeneration(): number {
  return outdated;
}
