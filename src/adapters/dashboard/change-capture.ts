import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';

/** Writers of the dashboard wait behind a lock that is asked for: not for longer than this, and then they go first. */
const LOCK_TIMEOUT = '500ms';
const PAUSE_MS = 300;
const ATTEMPTS = 3;
const LOCK_NOT_AVAILABLE = '55P03';

/** A table of the dashboard that somebody else keeps locked. */
export class TableInUse extends Error {
  override readonly name = 'TableInUse';

  constructor(readonly table: string) {
    super(`Somebody keeps ${table} locked`);
  }
}

/** Answers how many triggers had to be put in place. What is done stays done where a table is in use. */
export async function ensureCapture(database: Knex): Promise<number> {
  const tables: readonly string[] = await database
    .from('content_sync.captured_tables')
    .orderBy('table_name')
    .pluck('table_name');
  let mended = 0;
  for (const table of tables) {
    const { rows } = await insist(`public.${table}`, () =>
      database.raw('select content_sync.ensure_capture(?) as mended', [table]),
    );
    mended += rows[0].mended;
  }
  return mended;
}

/** Trigger by trigger, so that no two tables are locked at once. */
export async function removeCapture(database: Knex): Promise<void> {
  const { rows }: { rows: { name: string; table: string }[] } = await database.raw(`
    select quote_ident(tgname) as name, tgrelid::regclass::text as table
    from pg_trigger where tgfoid = to_regprocedure('content_sync.capture()') order by 2, 1`);
  for (const { name, table } of rows) await dropAtOnce(database, table, `trigger ${name} on ${table}`);
  await dropAtOnce(database, 'content_sync', 'schema if exists content_sync cascade');
}

async function dropAtOnce(database: Knex, locked: string, what: string): Promise<void> {
  await insist(locked, () =>
    database.transaction(async (transaction) => {
      await transaction.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await transaction.raw(`drop ${what}`);
    }),
  );
}

async function insist<Result>(table: string, attempt: () => PromiseLike<Result>): Promise<Result> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
      if (n === ATTEMPTS) throw new TableInUse(table);
    }
    await pause(PAUSE_MS);
  }
}
