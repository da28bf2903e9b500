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

/** The rows of a statement for some ids. A row may be spelled otherwise than the id: the collation may ignore case. */
export async function readableRows(
  { database, outlivesFailures }: Snapshot,
  statement: (ids: readonly string[]) => string,
  ids: readonly string[],
): Promise<Readable<Stored>> {
  const run = (some: readonly string[]) => queryRows<Stored>(database, statement(some));
  return readableRowsOf({ run, rejectionIn }, ids, outlivesFailures);
}
