/** For more of them, a plan that was made for few may not be the best, and to make another costs little for each. */
const MOST_KEYS = 100;

/**
 * For the session that they are prepared in. A plan that was made while a table was small is kept while it grows: all that is prepared
 * looks rows up by their keys, and must not read whole tables then. One plan will do for all values: PostgreSQL would plan some anew each time.
 */
export const SESSION_OF_PREPARED = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' } as const;

let outdated = 0;

/** For a statement that is sent again and again: PostgreSQL keeps its plan under this name, as long as the connection lasts. */
export function prepared(statement: string): { readonly name: string } {
  return { name: `content_sync_${statement}_${outdated}` };
}

export function preparedForFew(statement: string, keys: readonly string[]): { readonly name?: string } {
  return keys.length <= MOST_KEYS ? prepared(statement) : {};
}

/** A column of the dashboard's has another type now: PostgreSQL refuses what was prepared before. By its routine, since the message may be in any language. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

/** From now on, statements have other names. */
export function prepareAnew(): void {
  outdated++;
}

/** Another one each time that statements have other names. */
export function preparedGeneration(): number {
  return outdated;
}
