import { createHash } from 'node:crypto';

/** A plan for few keys may be bad for more, where planning costs little per key. */
const MAX_PREPARED_KEYS = 100;

/**
 * Prepared statements look rows up by keys, and a plan made while a table was small is kept: it
 * must not scan whole tables.
 */
export const SESSION_OF_PREPARED = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' } as const;

let outdated = 0;

/** PostgreSQL keeps its plan under this name while the connection lasts. */
export function prepared(statement: string): { readonly name: string } {
  return { name: `content_sync_${statement}_${outdated}` };
}

/** The statement changes with the types of the dashboard's columns. */
export function preparedForFew(name: string, statement: string, keys: readonly string[]) {
  if (keys.length > MAX_PREPARED_KEYS) return {};
  return prepared(`${name}_${createHash('md5').update(statement).digest('hex').slice(0, 8)}`);
}

/** A changed type of a column, by the routine: the message may be in any language. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

/** Gives statements new names from now on. */
export function renamePrepared(): void {
  outdated++;
}
