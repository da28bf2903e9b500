import type { DashboardMapping } from '../../mapping/dashboard-mapping.js';
import type { JudgeType } from '../../mapping/mapped-columns.js';
import type { DescribedColumn } from '../read/described-select.js';
import { isIdType, NAMES_OF_ID_TYPES } from '../read/mapped-tables.js';

const TEXT_CATEGORY = 'S';
const ENUM_CATEGORY = 'E';
const WHOLE_NUMBERS = ['smallint', 'integer', 'bigint'];
const WITH_ZONE = 'timestamp with time zone';
const WITHOUT_ZONE = 'timestamp without time zone';

export function judgeOf(columns: readonly DescribedColumn[], { timeZone }: DashboardMapping): JudgeType {
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
