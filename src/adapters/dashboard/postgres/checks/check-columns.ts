import type { DashboardMapping, SourceName } from '../../mapping/dashboard-mapping.js';
import { columnProblems, type JudgeType, unusedColumns } from '../../mapping/mapped-columns.js';
import type { MappingFindings } from '../../mapping/mapping-findings.js';
import type { Described, DescribedColumn } from '../read/described-select.js';
import { familyOf, isIdType, NAMES_OF_ID_TYPES } from '../read/mapped-tables.js';

const TEXT_CATEGORY = 'S';
const ENUM_CATEGORY = 'E';
const WHOLE_NUMBERS = ['smallint', 'integer', 'bigint'];
const WITH_ZONE = 'timestamp with time zone';
const WITHOUT_ZONE = 'timestamp without time zone';

/** Columns that are compared with each other: the second one holds ids of the first. */
const JOINS: readonly (readonly [SourceName, string, SourceName, string])[] = [
  ['websites', 'id', 'blogs', 'website_id'],
  ['websites', 'id', 'categories', 'website_id'],
  ['websites', 'id', 'tags', 'website_id'],
  ['categories', 'id', 'categories', 'parent_id'],
  ['blogs', 'id', 'blog_categories', 'blog_id'],
  ['categories', 'id', 'blog_categories', 'category_id'],
  ['blogs', 'id', 'blog_tags', 'blog_id'],
  ['tags', 'id', 'blog_tags', 'tag_id'],
  ['organizations', 'id', 'websites', 'organization_id'],
  ['websites', 'organization_id', 'api_keys', 'organization_id'],
];

/** Checks the names and types of all columns, and whether compared columns have comparable types. */
export function checkColumns(mapping: DashboardMapping, described: Described): MappingFindings {
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const [name, columns] of Object.entries(described) as [SourceName, readonly DescribedColumn[]][]) {
    const names = columns.map((column) => column.name);
    errors.push(...columnProblems(name, names, judgeOf(columns, mapping)));
    warnings.push(...unusedColumns(name, names));
  }
  return { errors: [...errors, ...joinProblems(mapping, described)], warnings };
}

function judgeOf(columns: readonly DescribedColumn[], { timeZone }: DashboardMapping): JudgeType {
  return (kind, column) => {
    const { type = '', category = '' } = columns.find(({ name }) => name === column) ?? {};
    const has = (expected: string) => `has the type ${type}; ${expected}`;
    const isText = category === TEXT_CATEGORY;
    switch (kind) {
      case 'id':
        if (isIdType(type)) return null;
        return has(`expected one of ${NAMES_OF_ID_TYPES.join(', ')}: write \`${column}::text as ${column}\``);
      case 'text':
        if (isText) return null;
        // As text, `bytea` begins with `\\x`, so no hash would ever match a key.
        return has(
          `expected text: write \`${type === 'bytea' ? `encode(${column}, 'hex')` : `${column}::text`} as ${column}\``,
        );
      case 'status':
        return isText || category === ENUM_CATEGORY
          ? null
          : has(
              "expected text that is 'published' if the blog is shown: write `case when … then 'published' else 'draft' end as status`",
            );
      case 'number':
        return WHOLE_NUMBERS.includes(type)
          ? null
          : has(`expected a whole number: write \`${column}::integer as ${column}\``);
      case 'time':
        if (type === WITH_ZONE || (type === WITHOUT_ZONE && timeZone !== null)) return null;
        if (type === WITHOUT_ZONE)
          return `has the type ${type}, which has no time zone: set time_zone, or write \`… at time zone 'UTC'\``;
        if (type === 'date')
          return has(
            `expected timestamptz: write \`${column}::timestamp as ${column}\`, which is the start of the day in time_zone`,
          );
        return has(`expected timestamptz: write \`${column}::timestamptz as ${column}\``);
    }
  };
}

function joinProblems({ hasManagedKeys }: DashboardMapping, described: Described): readonly string[] {
  const typeOf = (source: SourceName, column: string) =>
    described[source]?.find(({ name }) => name === column)?.type;
  return JOINS.flatMap(([source, id, other, column]) => {
    const [one, two] = [typeOf(source, id), typeOf(other, column)];
    if (one === undefined || two === undefined || (hasManagedKeys && other === 'api_keys')) return [];
    const families = [familyOf(one), familyOf(two)];
    if (families.includes(null) || families[0] === families[1]) return [];
    return [
      `${other}: the column ${column} has the type ${two}, but ${id} of ${source} has the type ${one}; use the same type in both`,
    ];
  });
}
