import type { Scope, WideKind } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';
import { SOURCE_OF, type SourceTables } from './source-tables.js';

/** Rows that show other rows: the table and column of their ids, and of the others. */
interface Dependents {
  readonly source: SourceName;
  readonly id: string;
  readonly by: string;
  /** The table between the two, and the column that leads to it. */
  readonly through?: { readonly column: string; readonly source: SourceName };
}

/** Selected by their own columns, so that they are also read if the other rows are gone. */
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
 * A query for the next ids of a kind in a scope; null: there are none. Each part returns its own
 * next ids, so that no step reads all. `follows` is 0 if the result sorts an id before `after`.
 */
export function nextKeysIn(
  tables: SourceTables,
  kind: RowKind,
  scope: Scope,
  after: string | null,
  limit: number,
): string | null {
  const next = partsOf(tables, kind, scope, ({ source, id }) => {
    const isNext = after === null ? null : tables.isAfter(source, 'mapped', id, after);
    // A key that the column cannot hold belongs to another mapping: the walk restarts.
    return isNext ?? `mapped.${id} is not null`;
  }).map((part) => `(${part} order by 1 limit ${limit})`);
  if (next.length === 0) return null;
  const isAfter = (after !== null && tables.isAfter(SOURCE_OF[kind], 'present', 'id', after)) || 'true';
  return `select ${tables.text('id')} as "key", case when ${isAfter} then 1 else 0 end as follows
    from (${next.join(' union ')}) as present order by id limit ${limit}`;
}

/** A query for those of these ids that are in a scope; null: none is. */
export function existingKeysIn(
  tables: SourceTables,
  kind: RowKind,
  scope: Scope,
  ids: readonly string[],
): string | null {
  const parts = partsOf(tables, kind, scope, ({ source, id }) => tables.isOneOf(source, 'mapped', id, ids));
  return parts.length === 0
    ? null
    : `select ${tables.text('id')} as "key" from (${parts.join(' union ')}) as present`;
}

/** Selects of the ids in a scope for which a condition is true. */
function partsOf(
  tables: SourceTables,
  kind: RowKind,
  scope: Scope,
  isRequested: (dependents: Dependents) => string,
): readonly string[] {
  const keys = 'keys' in scope ? scope.keys : null;
  const ofKind: Dependents = { source: SOURCE_OF[kind], id: 'id', by: '' };
  const parts = 'keys' in scope ? (DEPENDENTS[scope.kind][kind] ?? []) : [ofKind];
  return parts.map((part) => {
    const isInScope = keys === null ? 'true' : conditionOf(part, tables, keys);
    return `select distinct mapped.${part.id} as id from ${tables.table(part.source, 'mapped')} where ${isInScope} and ${isRequested(part)}`;
  });
}

function conditionOf({ source, by, through }: Dependents, tables: SourceTables, keys: readonly string[]) {
  if (through === undefined) return tables.isOneOf(source, 'mapped', by, keys);
  const isRequested = tables.isOneOf(through.source, 'term', by, keys);
  const ids = `select term.id from ${tables.table(through.source, 'term')} where ${isRequested}`;
  return tables.isAmong(tables.column(source, 'mapped', through.column), ids);
}
