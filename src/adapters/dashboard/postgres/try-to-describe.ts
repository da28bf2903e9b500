import type { Knex } from 'knex';
import { type DescribedColumn, describedSelects } from './described-select.js';
import { withoutTrace } from './without-trace.js';

/** Who keeps a table locked against reading keeps it for longer; nothing is known of it until the next look. */
const LOCK_TIMEOUT = '20ms';
const LOCK_NOT_AVAILABLE = '55P03';
/** What PostgreSQL says of a statement, and not of a connection or of itself (08, 53, 57). */
const OF_THE_STATEMENT = /^(?!08|53|57)[0-9A-Z]{5}$/;

/** A select of a mapping, or of a key of it. */
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
  /** In PostgreSQL's words. */
  readonly message: string;
}

/** What selects are described as that somebody reads while the tables change: neither a refusal nor a lock keeps the others from being described. */
export async function tryToDescribe(
  database: Knex,
  selects: readonly NamedSelect[],
  settings = '',
): Promise<Tried> {
  try {
    const columns = await withoutTrace(database, async (attempt) => {
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
