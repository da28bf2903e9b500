import { type Readable, readableRows as readableRowsOf, type Snapshot } from '../source/readable-rows.js';
import { isMysqlOutage } from './is-outage.js';
import { queryRows } from './query-rows.js';

export type Stored = Readonly<Record<string, string | null>>;

export function rejectionIn(error: unknown): string | null {
  const { sqlState, sqlMessage, fatal } = error as Rejection;
  return sqlState === undefined || fatal === true || isMysqlOutage(error) ? null : (sqlMessage ?? '');
}

interface Rejection {
  readonly sqlState?: string;
  readonly sqlMessage?: string;
  /** The connection has ended. */
  readonly fatal?: boolean;
}

/** The rows of a statement for some ids. Rows whose ids are equal in the dashboard's collation, but not byte by byte, are left out. */
export async function readableRows(
  { database, outlivesFailures }: Snapshot,
  statement: (ids: readonly string[]) => string,
  ids: readonly string[],
): Promise<Readable<Stored>> {
  const requested = new Set(ids);
  const run = async (some: readonly string[]) => {
    const rows = await queryRows<Stored>(database, statement(some));
    return rows.filter(({ key, id, blogId }) => requested.has((key ?? id ?? blogId) as string));
  };
  return readableRowsOf({ run, rejectionIn }, ids, outlivesFailures);
}
