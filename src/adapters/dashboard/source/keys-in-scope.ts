import type { WalkedScope, WideKind } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';

/** Rows that show other rows: the table and column of their ids, and of the others. */
export interface Dependents {
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

/** The rows of a kind that a scope reads again; null: all. */
export function dependentsIn(scope: WalkedScope, kind: RowKind): readonly Dependents[] | null {
  return 'keys' in scope ? (DEPENDENTS[scope.of][kind] ?? []) : null;
}
