import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { shortened } from '../../../domain/policies/row-limits.js';
import { type DashboardMapping, SOURCES } from '../mapping/dashboard-mapping.js';
import { FINDINGS } from '../mapping/mapping-findings.js';

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

const MAX_STATUSES = 10;

/** Runs a statement that only reads. A number may arrive as text. */
type Query = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/**
 * Values that the types of their columns allow, and with which the API shows nothing: nothing else would report them. `isNoHash`: the
 * condition that `key_hash` is not 64 lower-case hex digits.
 */
export async function checkValues(
  { selects: { blogs, api_keys } }: DashboardMapping,
  isNoHash: string,
  query: Query,
): Promise<readonly string[]> {
  return [
    ...(blogs === null ? [] : await checkStatuses(blogs, query)),
    ...(api_keys === null ? [] : await checkHashes(api_keys, isNoHash, query)),
  ];
}

async function checkStatuses(select: string, query: Query): Promise<readonly string[]> {
  const rows = await query(
    `select status, count(*) as many from (\n${select}\n) as mapped group by status order by 2 desc`,
  );
  if (rows.length === 0 || rows.some(({ status }) => status === SHOWN_STATUS)) return [];
  const shown = rows.slice(0, MAX_STATUSES).map(({ status, many }) => `${wordOf(status)} in ${many}`);
  const others = rows.length > MAX_STATUSES ? ', …' : '';
  return [
    `blogs: no row has the status '${SHOWN_STATUS}', so the API shows no blog; the status is ${shown.join(', ')}${others}; write \`case when … then '${SHOWN_STATUS}' else 'draft' end as status\``,
  ];
}

async function checkHashes(select: string, isNoHash: string, query: Query): Promise<readonly string[]> {
  const mapped = `(\n${select}\n) as mapped`;
  const warnings: string[] = [];
  const [{ wrong } = { wrong: 0 }] = await query(`select count(*) as wrong from ${mapped} where ${isNoHash}`);
  if (Number(wrong) > 0) {
    warnings.push(
      `api_keys: key_hash is not 64 lower-case hex digits in ${wrong} ${Number(wrong) === 1 ? 'row' : 'rows'}, so requests with these keys get a 401; to convert bytes, write \`encode(…, 'hex') as key_hash\`, or lower(hex(…)) on MariaDB`,
    );
  }
  const [twice] = await query(
    `select min(id) as one, max(id) as other, count(*) as many from ${mapped} where not ${isNoHash} group by key_hash having count(*) > 1 order by 1 limit 1`,
  );
  if (twice !== undefined) {
    const { one, other, many } = twice;
    warnings.push(
      `api_keys: ${many} rows have the same key_hash, among them those with the ids ${shortened(String(one))} and ${shortened(String(other))}, so it is unclear whose key it is; give each key a hash of its own`,
    );
  }
  return warnings;
}

function wordOf(status: unknown): string {
  return status === null ? 'null' : `'${shortened(String(status))}'`;
}
