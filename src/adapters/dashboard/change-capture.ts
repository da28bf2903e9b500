import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { CaptureFunction } from './capture-function.js';

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

/** A part of a table of the dashboard whose changes cannot be noted. */
export class NotToBeCaptured extends Error {
  override readonly name = 'NotToBeCaptured';

  constructor(readonly tables: readonly string[]) {
    super(`The changes of ${tables.join(', ')} cannot be noted`);
  }
}

/** Answers how many triggers had to be put in place, or the function behind them. What is done stays done where a table is in use. */
export async function ensureCapture(database: Knex, expected: CaptureFunction): Promise<number> {
  const { rows }: { rows: readonly CapturedRelation[] } = await database.raw(`
    select captured, relation, relation::regclass::text as name, is_foreign as "isForeign"
    from content_sync.captured_relations() order by captured, relation`);
  let mended = await ensureFunction(database, expected);
  for (const { captured, relation, name, isForeign } of rows) {
    if (isForeign) continue;
    const ensured = await insist(name.includes('.') ? name : `public.${name}`, () =>
      database.raw('select content_sync.ensure_capture(?, ?) as mended', [captured, relation]),
    );
    mended += ensured.rows[0].mended;
  }
  const foreign = rows.filter(({ isForeign }) => isForeign);
  if (foreign.length > 0) throw new NotToBeCaptured(foreign.map(({ name }) => name));
  return mended;
}

interface CapturedRelation {
  readonly captured: string;
  readonly relation: string;
  readonly name: string;
  readonly isForeign: boolean;
}

async function ensureFunction(database: Knex, { statement, body }: CaptureFunction): Promise<number> {
  return database.transaction(async (transaction) => {
    const { rows } = await transaction.raw(
      `select from pg_proc where oid = to_regprocedure('content_sync.capture()') and prosrc = ? and prosecdef`,
      [body],
    );
    if (rows.length > 0) return 0;
    await transaction.raw(statement);
    await transaction.raw(`insert into content_sync.change_queue (kind) values ('everything')`);
    return 1;
  });
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
