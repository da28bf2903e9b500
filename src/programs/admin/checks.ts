import { missingRights, type Program } from '../../adapters/postgres/read/missing-rights.js';
import { newestReadableGeneration } from '../../adapters/postgres/read/read-table.js';
import { adviceOnConnection, unreachable } from '../../adapters/sql/advice-on-connection.js';
import { isOfStatement, naming } from '../../adapters/sql/postgres/fault-of.js';
import { migrationState } from '../../adapters/sql/postgres/migrations/migrate-database.js';
import { maxSyncAgeMs, SyncTooOld } from '../../application/requests/sync-age.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { Check, Finding } from '../../domain/model/finding.js';
import type { SyncAge } from '../../domain/ports/reading/generations.js';
import { check, failure, needed, ok, warning } from './examine.js';
import type { DatabaseProbe } from './probe.js';

export const MIGRATE = 'run `npm run migrate`';
export const REPAIR_READ_TABLES =
  'run `npm run migrate -- --with-grants`; if a table is still missing, restore it';

/** To generations, of which only whether they can be read matters. */
export const NO_QUESTION = { above: 0, limit: 1, organizationIds: [] };

const FIND_OUT_OF_SYNC =
  'check that a sync worker leads, and of a standby that it receives WAL and that its clock is right; MAX_SYNC_AGE_SECONDS is the limit';

export type ReadTables = Pick<DatabaseProbe, 'query'>;

export function adviceOnRedis(variable: string): string {
  return `${unreachable(variable)}; if it refuses a command, give its user the rights of docs/operations/servers.md`;
}

/** If something in the read tables cannot be read. */
export function adviceOnReadTables(error: unknown): string {
  return isOfStatement(error) ? REPAIR_READ_TABLES : adviceOnConnection('READ_DATABASE_URL')(error);
}

export function migratedByNewer(what = ''): Finding {
  return warning(
    `migrated by a newer version${what}`,
    'start the programs of that version; these continue meanwhile',
  );
}

/** For a command or a log, which have no other line for the advice. */
export async function requireReadTables(read: () => Promise<unknown>): Promise<void> {
  try {
    await naming('READ_DATABASE_URL', read);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${message}: ${adviceOnReadTables(cause)}`, { cause });
  }
}

/** Reads what requests read: one lost right, or one lock, fails all requests of a kind. */
export function readDatabaseCheck(readTables: ReadTables): Check {
  const read = () => readTables.query(newestReadableGeneration);
  return needed(check('readDatabase', adviceOnReadTables, read, () => ok('all that requests read')));
}

/** Whether the read tables exist as this version needs them. */
export function migrationsCheck(name: string, readTables: ReadTables): Check {
  const read = () => readTables.query((database) => migrationState(database, READ_MIGRATIONS));
  return needed(
    check(name, adviceOnReadTables, read, ({ missing, newer, gone }) => {
      if (missing.length > 0) return failure(`missing: ${missing.join(', ')}`, MIGRATE);
      if (newer.length > 0) return migratedByNewer(`: ${newer.join(', ')}`);
      if (gone.size === 0) return ok('up to date');
      return warning(`indexes or extensions that are gone: ${[...gone.keys()].join(', ')}`, MIGRATE);
    }),
  );
}

/** Whether the read tables are recent enough to serve from them. */
export function syncAgeCheck(read: () => Promise<SyncAge>, setting: number | null): Check {
  return needed(check('syncAge', adviceOnReadTables, read, (sync) => syncAgeFinding(sync, setting)));
}

export function syncAgeFinding(sync: SyncAge, setting: number | null): Finding {
  const limitMs = maxSyncAgeMs(sync, setting);
  if (sync.syncAgeMs > limitMs) return failure(new SyncTooOld(sync, limitMs).message, FIND_OUT_OF_SYNC);
  return ok(sync.isStandby ? 'a standby that follows' : 'recent enough');
}

/** Whether the program may do with the read tables what it does. */
export function rightsCheck(program: Program, readTables: ReadTables): Check {
  const read = () => readTables.query((database) => missingRights(database, program));
  return check('rights', adviceOnReadTables, read, (missing) =>
    missing.length === 0 ? ok('all that the program needs') : failure(missing.join('; '), REPAIR_READ_TABLES),
  );
}
