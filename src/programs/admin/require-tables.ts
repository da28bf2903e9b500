import { isCaptureInstalled } from '../../adapters/dashboard/postgres/change-queue.js';
import { missingDashboardTables } from '../../adapters/dashboard/postgres/missing-dashboard-tables.js';
import { shownTable, type TableName } from '../../adapters/dashboard/postgres/table-name.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';

const UNDEFINED_TABLE = '42P01';

/** The error says which of the two databases it concerns and what to do. */
export async function requireDashboardTables(
  database: Parameters<typeof missingDashboardTables>[0],
  tables: readonly TableName[],
): Promise<void> {
  const missing = await naming('WRITE_DATABASE_URL', () => missingDashboardTables(database, tables));
  if (missing.length === 0) return;
  const where = missing.every(({ schema }) => schema === 'public') ? ' in its schema public' : '';
  throw new Error(
    `The dashboard's database (WRITE_DATABASE_URL) has no table ${missing.map(shownTable).join(', ')}${where}. ` +
      'Is it the right database? For other tables set DASHBOARD_MAPPING; for a demo, `npm run dashboard:migrate` creates them.',
  );
}

export async function requireCapture(database: Parameters<typeof isCaptureInstalled>[0]): Promise<void> {
  if (await naming('WRITE_DATABASE_URL', () => isCaptureInstalled(database))) return;
  throw new Error(
    "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
  );
}

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

async function naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    // Several addresses failed. The AggregateError itself has no message.
    const reasons = error instanceof AggregateError ? error.errors : [error];
    const messages = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
    throw new Error(`${variable}: ${messages.join('; ')}`, { cause: error });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
