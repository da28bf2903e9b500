import { naming } from '../../adapters/postgres/connection/is-outage.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';

const UNDEFINED_TABLE = '42P01';

/** `storedBy`: the extension that stores the generations. Null: they are in the read tables. */
export async function requireReadTables(
  generations: Pick<GenerationHistory, 'above'>,
  storedBy: string | null = null,
): Promise<void> {
  const where = storedBy === null ? 'READ_DATABASE_URL' : `extension ${storedBy}`;
  try {
    await naming(where, () => generations.above(0, 1));
  } catch (error) {
    if (storedBy !== null) throw error;
    // By the code, because the message is in the language of the server.
    if (!(error instanceof Error && codeOf(error.cause) === UNDEFINED_TABLE)) throw error;
    throw new Error('The database of READ_DATABASE_URL has no read tables: run `npm run migrate` first.');
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
