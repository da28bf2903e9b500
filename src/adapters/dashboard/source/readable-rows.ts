import type { Knex } from 'knex';
import { SelectFails } from '../../../domain/errors.js';
import type { RefusedRow } from '../../../domain/model/source.js';

/** Finding each bad row takes a dozen statements, and a revocation waits for them. */
const MAX_ROWS_AMONG_BAD_ONES = 64;

export interface Readable<Row> {
  readonly rows: readonly Row[];
  readonly refused: readonly RefusedRow[];
}

/** Reads from one snapshot. */
export interface Snapshot {
  readonly database: Knex;
  /** Whether it survives a row that cannot be read. That takes more statements for each read. */
  readonly outlivesFailures: boolean;
}

export interface StatementOfRows<Row> {
  /** Also for no ids. */
  run(ids: readonly string[]): Promise<readonly Row[]>;
  /** Why the server rejected the statement. Null: the connection, the server or the moment is the cause. */
  rejectionIn(error: unknown): string | null;
}

/** The first of some ids, which are read after a failure for all of them. */
export function amongBadOnes(ids: readonly string[]): readonly string[] {
  return ids.slice(0, MAX_ROWS_AMONG_BAD_ONES);
}

/**
 * The rows of a statement for some ids. If the server rejects it for an id, and accepts it for none, the fault is that row's, whatever the
 * error: the row is refused and does not affect the others. The error does not say which row it is, so each half is read separately.
 */
export async function readableRows<Row>(
  statement: StatementOfRows<Row>,
  ids: readonly string[],
  outlivesFailures: boolean,
): Promise<Readable<Row>> {
  if (ids.length === 0) return { rows: [], refused: [] };
  try {
    return { rows: await statement.run(ids), refused: [] };
  } catch (error) {
    if (!outlivesFailures || statement.rejectionIn(error) === null) throw error;
    await requireForNone(statement);
  }
  return readableHalves(statement, ids);
}

async function requireForNone<Row>(statement: StatementOfRows<Row>): Promise<void> {
  try {
    await statement.run([]);
  } catch (error) {
    const reason = statement.rejectionIn(error);
    throw reason === null ? error : new SelectFails(reason, { cause: error });
  }
}

async function readableHalves<Row>(
  statement: StatementOfRows<Row>,
  ids: readonly string[],
): Promise<Readable<Row>> {
  const middle = Math.ceil(ids.length / 2);
  const one = await readablePart(statement, ids.slice(0, middle));
  const other = await readablePart(statement, ids.slice(middle));
  return { rows: [...one.rows, ...other.rows], refused: [...one.refused, ...other.refused] };
}

async function readablePart<Row>(
  statement: StatementOfRows<Row>,
  ids: readonly string[],
): Promise<Readable<Row>> {
  const [id] = ids;
  if (id === undefined) return { rows: [], refused: [] };
  try {
    return { rows: await statement.run(ids), refused: [] };
  } catch (error) {
    const reason = statement.rejectionIn(error);
    if (reason === null) throw error;
    if (ids.length > 1) return readableHalves(statement, ids);
    return { rows: [], refused: [{ id, reason: `the row cannot be read: ${reason}` }] };
  }
}
