import type { Knex } from 'knex';
import { type DashboardMapping, SOURCES } from '../mapping/dashboard-mapping.js';
import { inlined } from './described-select.js';
import { rolledBack } from './rolled-back.js';
import { runStatement } from './run-statement.js';

const SHOWN = 3;

/** Ids that are null or not unique. Reads all ids. */
export async function checkIds(database: Knex, { selects }: DashboardMapping): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const source of SOURCES) {
    const select = selects[source];
    if (select === null || source.startsWith('blog_')) continue;
    const { rows } = await rolledBack(database, (attempt) =>
      runStatement<{ id: string | null; rows: number }>(
        attempt,
        `select id::text as id, count(*)::int as rows from ${inlined(select)} as mapped
         group by mapped.id having count(*) > 1 or mapped.id is null order by mapped.id nulls first limit ${SHOWN}`,
      ),
    );
    for (const { id, rows: several } of rows) {
      problems.push(
        id === null
          ? `${source}: the id is null in ${several} ${several === 1 ? 'row' : 'rows'}; exclude rows whose id is null`
          : `${source}: ${several} rows have the id ${id}; return one row for each id`,
      );
    }
  }
  return problems;
}
