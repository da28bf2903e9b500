import { type DashboardMapping, SOURCES } from '../mapping/dashboard-mapping.js';
import { FINDINGS } from '../mapping/mapping-findings.js';
import type { Query } from './check-values.js';

const SHOWN = 3;

/** Ids that are null or not unique. Reads all ids. `textOf`: an id as text. */
export async function checkIds(
  { selects }: DashboardMapping,
  textOf: (id: string) => string,
  query: Query,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const source of SOURCES) {
    const select = selects[source];
    if (select === null || source.startsWith('blog_')) continue;
    const rows = await query(
      `select min(${textOf('mapped.id')}) as id, count(*) as many from (\n${select}\n) as mapped
       group by mapped.id having count(*) > 1 or mapped.id is null
       order by case when mapped.id is null then 0 else 1 end, mapped.id limit ${SHOWN}`,
    );
    for (const { id, many } of rows) {
      problems.push(
        id === null
          ? FINDINGS.idIsNull(source, Number(many))
          : FINDINGS.severalRows(source, String(id), Number(many)),
      );
    }
  }
  return problems;
}
