import type { Knex } from 'knex';
import type { DashboardMapping, SourceName } from '../../mapping/dashboard-mapping.js';
import type { CaptureFacts } from '../capture/capture-facts.js';
import { type Cause, CHANGES_ROWS, cascadePaths } from '../capture/cascades.js';
import type { MappedTables } from '../read/mapped-tables.js';
import { queryRows } from '../read/query-rows.js';

const FROM_ELSEWHERE = `select part.table_name as 'table', part.referenced_table_schema as other, part.referenced_table_name as parent,
    max(rule.delete_rule) as onDelete, max(rule.update_rule) as onUpdate
  from information_schema.key_column_usage as part join information_schema.referential_constraints as rule
    on rule.constraint_schema = part.constraint_schema and rule.constraint_name = part.constraint_name and rule.table_name = part.table_name
  where part.table_schema = database() and part.referenced_table_schema <> database()
  group by part.table_name, part.constraint_name, part.referenced_table_schema, part.referenced_table_name`;

interface ForeignParent {
  readonly table: string;
  readonly other: string;
  readonly parent: string;
  readonly onDelete: string;
  readonly onUpdate: string;
}

/** Foreign keys by which another database changes captured rows, where no trigger can note it. */
export async function problemsOfCascades(
  database: Knex,
  { captures }: DashboardMapping,
  { foreignKeys }: CaptureFacts,
): Promise<readonly string[]> {
  const captured = new Set(captures.map(({ table }) => table));
  const reaches = (table: string, cause: Cause) =>
    captured.has(table) ||
    cascadePaths(foreignKeys, table, cause).some(({ keys }) => captured.has(keys.at(-1)?.child ?? ''));
  const parents = await queryRows<ForeignParent>(database, FROM_ELSEWHERE);
  return parents
    .filter(
      ({ table, onDelete, onUpdate }) =>
        (CHANGES_ROWS.includes(onDelete) && reaches(table, onDelete === 'CASCADE' ? 'delete' : 'update')) ||
        (CHANGES_ROWS.includes(onUpdate) && reaches(table, 'update')),
    )
    .map(
      ({ table, other, parent }) =>
        `captures.${table}: a foreign key changes its rows together with those of ${other}.${parent}, in another database, where they cannot be captured; remove its ON DELETE and ON UPDATE, and let the dashboard delete the rows`,
    );
}

const REFERENCES: readonly (readonly [SourceName, string, SourceName])[] = [
  ['blogs', 'website_id', 'websites'],
  ['categories', 'website_id', 'websites'],
  ['categories', 'parent_id', 'categories'],
  ['tags', 'website_id', 'websites'],
  ['blog_categories', 'blog_id', 'blogs'],
  ['blog_categories', 'category_id', 'categories'],
  ['blog_tags', 'blog_id', 'blogs'],
  ['blog_tags', 'tag_id', 'tags'],
];

/** References that are equal to an id in the dashboard's collation, and not byte by byte. */
export async function miswrittenReferences(database: Knex, tables: MappedTables): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const [source, column, to] of REFERENCES) {
    const reference = tables.column(source, 'mapped', column);
    if (reference === 'null') continue;
    const [row] = await queryRows<{ written: string; id: string }>(
      database,
      `select ${reference} as written, target.id as id
       from ${tables.table(source, 'mapped')} join ${tables.table(to, 'target')} on target.id = ${reference}
       where cast(${reference} as binary) <> cast(target.id as binary) limit 1`,
    );
    if (row !== undefined)
      warnings.push(
        `${source}: some rows have the ${column} "${row.written}" for the id "${row.id}", which the collation treats as equal; the id is shown`,
      );
  }
  return warnings;
}
