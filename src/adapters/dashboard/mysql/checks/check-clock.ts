import type { Knex } from 'knex';
import type { SourceName } from '../../mapping/dashboard-mapping.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import { queryRows } from '../read/query-rows.js';
import { text } from '../read/quoted.js';
import { tablesIn, tokensOf } from './tables-in.js';

const CALLED = [
  'now',
  'curdate',
  'curtime',
  'sysdate',
  'rand',
  'uuid',
  'uuid_short',
  'random_bytes',
  'sleep',
];
/** Without an argument they read the clock; otherwise they convert it. */
const WITHOUT_ARGUMENT = ['unix_timestamp'];
const WORDS = ['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'].concat([
  'utc_date',
  'utc_time',
  'utc_timestamp',
]);
const IS_NAME = /^[\p{L}_$`]/u;

/**
 * What a select reads of the clock, also through views, as far as this user may see their texts.
 */
export async function checkClock(
  database: Knex,
  source: SourceName,
  sql: string,
  seen = new Set<string>(),
): Promise<readonly string[]> {
  const problems = clockIn(sql).map((name) => FINDINGS.changesByItself(source, name));
  for (const { name, body, isDeterministic } of await functionsIn(database, sql)) {
    if (seen.has(`${name}()`)) continue;
    seen.add(`${name}()`);
    const inBody = clockIn(body ?? '');
    if (inBody.length > 0)
      problems.push(FINDINGS.changesByItself(source, `${name}(), which uses ${inBody.join()}`));
    else if (isDeterministic === 'NO')
      problems.push(FINDINGS.mayChangeByItself(source, `${name}()`, NOT_DETERMINISTIC));
  }
  for (const { name, body } of await viewsIn(database, sql)) {
    if (seen.has(name)) continue;
    seen.add(name);
    problems.push(...(await checkClock(database, source, body ?? '', seen)));
  }
  return problems;
}

const NOT_DETERMINISTIC =
  'which is not deterministic, as functions are unless they say otherwise: create it as DETERMINISTIC if it depends on its arguments and on tables only';

interface Body {
  readonly name: string;
  /** Null: this user may not see it. */
  readonly body: string | null;
}

function functionsIn(
  database: Knex,
  sql: string,
): Promise<readonly (Body & { readonly isDeterministic: string })[]> {
  return queryRows(
    database,
    `select routine_name as name, routine_definition as body, is_deterministic as isDeterministic from information_schema.routines
     where routine_schema = database() and routine_type = 'FUNCTION' and routine_name in (${listOf(namesCalledIn(sql))}) order by 1`,
  );
}

function viewsIn(database: Knex, sql: string): Promise<readonly Body[]> {
  return queryRows(
    database,
    `select table_name as name, view_definition as body from information_schema.views
     where table_schema = database() and table_name in (${listOf([...tablesIn(sql)])})`,
  );
}

function listOf(names: readonly string[]): string {
  return ['', ...names].map(text).join(', ');
}

function clockIn(sql: string): readonly string[] {
  const tokens = tokensOf(sql);
  const names = tokens.flatMap((token, index) => {
    const name = token.toLowerCase();
    if (tokens[index - 1] === '.') return [];
    if (WORDS.includes(name)) return [name];
    if (tokens[index + 1] !== '(') return [];
    const isClock = CALLED.includes(name) || (WITHOUT_ARGUMENT.includes(name) && tokens[index + 2] === ')');
    return isClock ? [`${name}()`] : [];
  });
  return [...new Set(names)];
}

function namesCalledIn(sql: string): readonly string[] {
  const tokens = tokensOf(sql);
  return tokens
    .filter((token, index) => IS_NAME.test(token) && tokens[index + 1] === '(')
    .map((token) => token.replaceAll('`', ''));
}
