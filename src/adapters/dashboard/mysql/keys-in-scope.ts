import type { WalkedScope, WideKind } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';
import type { MappedTables } from './mapped-tables.js';
import { SOURCE_OF } from './source-statements.js';

/** Rows of a kind that show other rows: the table and column of their ids, and the column that names the other rows. */
interface Dependents {
  readonly source: SourceName;
  readonly id: string;
  readonly by: string;
  /** The table between the two, and the column that leads to it. */
  readonly through?: { readonly column: string; readonly source: SourceName };
}

/** Found by their own columns, so that they are also found if the other rows are gone. */
const DEPENDENTS: Readonly<Record<WideKind, Partial<Record<RowKind, readonly Dependents[]>>>> = {
  categories: {
    categories: [{ source: 'categories', id: 'id', by: 'parent_id' }],
    blogs: [{ source: 'blog_categories', id: 'blog_id', by: 'category_id' }],
  },
  tags: { blogs: [{ source: 'blog_tags', id: 'blog_id', by: 'tag_id' }] },
  websites: {
    categories: [
      { source: 'categories', id: 'id', by: 'website_id' },
      {
        source: 'categories',
        id: 'id',
        by: 'website_id',
        through: { column: 'parent_id', source: 'categories' },
      },
    ],
    tags: [{ source: 'tags', id: 'id', by: 'website_id' }],
    blogs: [
      { source: 'blogs', id: 'id', by: 'website_id' },
      {
        source: 'blog_categories',
        id: 'blog_id',
        by: 'website_id',
        through: { column: 'category_id', source: 'categories' },
      },
      { source: 'blog_tags', id: 'blog_id', by: 'website_id', through: { column: 'tag_id', source: 'tags' } },
    ],
  },
};

/**
 * A query for the next ids of a kind in a scope, in order. Each part of it returns its own next ids: choosing from all ids would make each
 * step cost as much as the whole walk.
 */
export function nextKeysIn(
  tables: MappedTables,
  scope: WalkedScope,
  kind: RowKind,
  after: string | null,
  limit: number,
): string {
  const source = SOURCE_OF[kind];
  const all = { source, id: 'id', from: tables.table(source, 'mapped'), condition: 'true' };
  const parts =
    'keys' in scope
      ? (DEPENDENTS[scope.of][kind] ?? []).map((dependents) => found(tables, dependents, scope.keys))
      : [all];
  if (parts.length === 0) return 'select null as id from dual where false';
  const next = parts.map((part) => {
    const isNext = after === null ? 'true' : tables.isAfter(part.source, 'mapped', part.id, after);
    return `(select distinct mapped.${part.id} as id from ${part.from} where ${part.condition} and ${isNext}
      order by 1 limit ${limit})`;
  });
  return `select id from (${next.join(' union ')}) as present order by id limit ${limit}`;
}

function found(tables: MappedTables, { source, id, by, through }: Dependents, keys: readonly string[]) {
  const own = tables.table(source, 'mapped');
  if (through === undefined) {
    const column = tables.column(source, 'mapped', by);
    const condition = column === 'null' ? 'false' : tables.isOneOf(source, 'mapped', by, keys);
    return { source, id, from: own, condition };
  }
  const from = `${own} join ${tables.table(through.source, 'term')} on term.id = ${tables.column(source, 'mapped', through.column)}`;
  return { source, id, from, condition: tables.isOneOf(through.source, 'term', by, keys) };
}
