import type { Server } from '../../adapters/dashboard/source/engine.js';
import { missingRights, type Program } from '../../adapters/postgres/read/missing-rights.js';
import type { ReadDatabase } from '../../adapters/postgres/read/read-database.js';
import { adviceOnConnection, unreachable, useTls } from '../../adapters/sql/advice-on-connection.js';
import { means, naming } from '../../adapters/sql/postgres/fault-of.js';
import { migrationState } from '../../adapters/sql/postgres/migrations/migrate-database.js';
import { postgresServer, postgresTimeMs } from '../../adapters/sql/postgres/server-identity.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { Check, Finding } from '../../domain/model/finding.js';
import { before, check, failure, needed, ok, thorough, warning } from './examine.js';

export const MIGRATE = 'run `npm run migrate`';
const REPAIR_READ_TABLES = 'run `npm run migrate -- --with-grants`; if a table is still missing, restore it';
const KEEP_CLOCKS = 'keep the clocks of all machines in step, for example with chrony';
const MAX_DIFFERENCE_MS = 1_000;
const OLDEST: Record<Server['product'], string> = { PostgreSQL: '14', MariaDB: '10.6', MySQL: '8.0' };

/** For a read of generations whose result is not used: only whether it succeeds. */
export const NO_QUESTION = { above: 0, limit: 1, organizationIds: [] };

/** The read tables as a probe or a program's pool reads them. */
export interface ReadTables {
  query<Result>(run: (tables: { readonly database: ReadDatabase }) => Promise<Result>): Promise<Result>;
}

export function adviceOnRedis(variable: string): string {
  return `${unreachable(variable)}; if it refuses a command, give its user the rights of docs/operations/servers.md`;
}

/** What to do if the read tables cannot be read. */
export function adviceOnReadTables(error: unknown): string {
  return means(error, 'statement') ? REPAIR_READ_TABLES : adviceOnConnection('READ_DATABASE_URL')(error);
}

/** Reads facts in the read tables and judges them. */
export function tableCheck<Facts>(
  name: string,
  readTables: ReadTables,
  read: (database: ReadDatabase) => Promise<Facts>,
  judge: (facts: Facts) => Finding,
): Check {
  return check(name, adviceOnReadTables, () => readTables.query(({ database }) => read(database)), judge);
}

export function migratedByNewer(what = ''): Finding {
  return warning(
    `migrated by a newer version${what}`,
    'start the programs of that version; these continue meanwhile',
    'newer',
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

/** Whether a database is recent enough, and encrypted on its way. */
export function serverCheck(
  name: string,
  adviceOn: (error: unknown) => string,
  variable: string,
  read: () => Promise<Server>,
): Check {
  return thorough(
    check(name, adviceOn, read, ({ product, version, isUnencrypted }) => {
      const message = `${product} ${version} answers`;
      if (version.localeCompare(OLDEST[product], 'en', { numeric: true }) < 0)
        return failure(message, `upgrade ${product} to ${OLDEST[product]} or later`, 'tooOld');
      if (!isUnencrypted) return ok(message);
      const unencrypted = `${message}, on another machine, and without encryption`;
      return warning(unencrypted, useTls(variable), 'unencrypted');
    }),
  );
}

/** A worker's locks and settings would also be those of other sessions. */
export function ownSessions(variable: string, areShared: boolean): Finding {
  if (!areShared) return ok('no pooler in between shares them');
  return failure(
    'a pooler in transaction mode is in between, and the sync worker needs its own sessions',
    `set ${variable} to the server itself, or run the pooler in session mode`,
  );
}

export function sessionsCheck(name: string, variable: string, areShared: () => Promise<boolean>): Check {
  return thorough(
    check(name, adviceOnConnection(variable), areShared, (shared) => ownSessions(variable, shared)),
  );
}

/** Keys expire by the clock of this machine. */
export function clockCheck(name: string, server: string, timeMs: () => Promise<number>): Check {
  const read = async () => {
    const asked = Date.now();
    const time = await timeMs();
    // The server's time was read at some moment between `asked` and now.
    return Math.min(Date.now(), Math.max(asked, time)) - time;
  };
  const judge = (aheadMs: number) => {
    if (Math.abs(aheadMs) < MAX_DIFFERENCE_MS) return ok('agrees with that of this machine');
    const difference = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
    return failure(`this machine is ${difference}, and keys expire by its clock`, KEEP_CLOCKS);
  };
  return thorough(check(name, () => `see \`${server}\``, read, judge));
}

/** What each program checks of the server of the read tables, and `dependents` on it. */
export function onReadServer(readTables: ReadTables, dependents: readonly Check[]): readonly Check[] {
  const adviceOn = adviceOnConnection('READ_DATABASE_URL');
  const version = () => readTables.query(({ database }) => postgresServer(database));
  const timeMs = () => readTables.query(({ database }) => postgresTimeMs(database));
  return before(serverCheck('readServer', adviceOn, 'READ_DATABASE_URL', version), [
    clockCheck('readClock', 'readServer', timeMs),
    ...dependents,
  ]);
}

/** Whether the read tables exist as this version needs them. */
export function migrationsCheck(readTables: ReadTables): Check {
  const read = (database: ReadDatabase) => migrationState(database, READ_MIGRATIONS);
  const migrations = tableCheck('migrations', readTables, read, ({ missing, newer, gone }) => {
    if (missing.length > 0) return failure(`missing: ${missing.join(', ')}`, MIGRATE, 'missing');
    if (newer.length > 0) return migratedByNewer(`: ${newer.join(', ')}`);
    if (gone.size === 0) return ok('up to date');
    const message = `indexes or extensions that are gone: ${[...gone.keys()].join(', ')}`;
    return warning(message, MIGRATE, 'gone');
  });
  return needed(migrations);
}

/** Whether the program may do with the read tables what it does. */
export function rightsCheck(program: Program, readTables: ReadTables): Check {
  const read = (database: ReadDatabase) => missingRights(database, program);
  return tableCheck('rights', readTables, read, (missing) => {
    if (missing.length === 0) return ok('all that the program needs');
    return failure(missing.join('; '), REPAIR_READ_TABLES, 'missing');
  });
}
