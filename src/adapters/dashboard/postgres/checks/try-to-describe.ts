import type { Knex } from 'knex';
import { type DescribedColumn, describedSelects } from '../read/described-select.js';
import { rolledBack } from './rolled-back.js';

/** A session that locks a table against reading will keep it locked for longer than this. The table is checked again at the next look. */
const LOCK_TIMEOUT = '20ms';
const LOCK_NOT_AVAILABLE = '55P03';
/** Errors that concern the statement, not the connection or the server (08, 53, 57). */
const OF_THE_STATEMENT = /^(?!08|53|57)[0-9A-Z]{5}$/;

/** A select of a mapping, or of one of its keys. */
export interface NamedSelect {
  readonly name: string;
  readonly select: string;
}

interface Tried {
  readonly described: Readonly<Record<string, readonly DescribedColumn[]>>;
  readonly refusals: readonly Refusal[];
}

export interface Refusal {
  readonly name: string;
  readonly code: string;
  /** PostgreSQL's message. */
  readonly message: string;
}

/**
 * Describes selects while the tables are in use and may change. A select that is refused or locked does not prevent the description of the
 * others.
 */
export async function tryToDescribe(
  database: Knex,
  selects: readonly NamedSelect[],
  settings = '',
): Promise<Tried> {
  try {
    const columns = await rolledBack(database, async (attempt) => {
      await attempt.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'; ${settings}`);
      return describedSelects(
        attempt,
        selects.map(({ select }) => select),
      );
    });
    return {
      described: Object.fromEntries(selects.map(({ name }, at) => [name, columns[at] ?? []])),
      refusals: [],
    };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && OF_THE_STATEMENT.test(String(error.code))))
      throw error;
    if (selects.length === 1) {
      const code = String(error.code);
      const refused = selects.map(({ name }) => ({ name, code, message: error.message }));
      return { described: {}, refusals: code === LOCK_NOT_AVAILABLE ? [] : refused };
    }
  }
  const each: Tried[] = [];
  for (const one of selects) each.push(await tryToDescribe(database, [one], settings));
  return {
    described: Object.assign({}, ...each.map(({ described }) => described)),
    refusals: each.flatMap(({ refusals }) => refusals),
  };
}
