import type { Knex } from 'knex';
import type { SourceName } from '../../mapping/dashboard-mapping.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import { inlined } from '../read/described-select.js';
import { rolledBack, runStatement } from '../read/query-rows.js';

const FUNCTIONS = 'now|transaction_timestamp|statement_timestamp|clock_timestamp|timeofday';
const WORDS = 'current_date|current_time|current_timestamp|localtime|localtimestamp';
const TEXT = /'(?:[^']|'')*'/g;
/** Texts and quoted names. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"/g;
const CLOCK_IN_PLAN = new RegExp(`\\b(?:(?:${FUNCTIONS})\\(\\)|(?:${WORDS})\\b)`, 'g');
const CLOCK_IN_BODY = `\\m((${FUNCTIONS})\\s*\\(|(${WORDS})\\M)`;
/** A plan has functions of other schemas with their schema. */
const CALL =
  /((?:(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)\.)?(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))\(/gu;

const BODY = `concat(prosrc, pg_get_function_sqlbody(pg_proc.oid))`;
const READS_CLOCK = `(${BODY} ~* '${CLOCK_IN_BODY}' and nspname <> 'pg_catalog')`;
/** Functions of these names that may return another value for the same arguments and tables. */
const UNSTABLE = `
  select called.name, nspname = 'pg_catalog' as "isBuiltIn",
    bool_or${READS_CLOCK} as "readsClock"
  from unnest($1::text[]) as called (name)
    join pg_proc on case when called.name like '%.%'
      then concat(pronamespace::regnamespace, '.', quote_ident(proname)) = called.name
      else quote_ident(proname) = called.name and pg_function_is_visible(pg_proc.oid) end
    join pg_namespace on pg_namespace.oid = pronamespace
  group by 1, 2 having bool_and(provolatile = 'v') or bool_or${READS_CLOCK}
  order by 1`;

/** What a select reads of the clock. The plan shows what it uses, also through views. */
export async function checkClock(
  database: Knex,
  source: SourceName,
  select: string,
): Promise<readonly string[]> {
  const explain = `explain (verbose, costs off) select * from ${inlined(select)} as mapped`;
  return rolledBack(database, async (attempt) => {
    const { rows } = await runStatement<{ 'QUERY PLAN': string }>(attempt, explain);
    return problemsIn(attempt, source, rows.map((row) => row['QUERY PLAN']).join('\n'));
  });
}

async function problemsIn(database: Knex, source: SourceName, plan: string): Promise<readonly string[]> {
  const clock = new Set(plan.replaceAll(QUOTED, '').toLowerCase().match(CLOCK_IN_PLAN));
  const called = [...new Set([...plan.replaceAll(TEXT, '').matchAll(CALL)].map(([, name = '']) => name))];
  const { rows } = await runStatement<{ name: string; isBuiltIn: boolean; readsClock: boolean }>(
    database,
    UNSTABLE,
    [called],
  );
  return [
    ...[...clock].map((name) => FINDINGS.changesByItself(source, name)),
    ...rows
      .filter(({ name }) => !clock.has(`${name}()`))
      .map(({ name, isBuiltIn, readsClock }) =>
        isBuiltIn || readsClock
          ? FINDINGS.changesByItself(source, `${name}()`)
          : FINDINGS.mayChangeByItself(
              source,
              `${name}()`,
              `which is volatile, as functions are unless they say otherwise: run \`alter function ${name} immutable\` if it depends on its arguments only, or \`stable\` if it reads tables too`,
            ),
      ),
  ];
}
