import type { RowKind } from '../../domain/model/read-model.js';
import type { WalkedScope, WideKind } from '../../domain/model/sync-work.js';

const TABLES: Readonly<Record<RowKind, string>> = {
  apiKeys: 'public.api_keys',
  categories: 'public.categories',
  tags: 'public.tags',
  blogs: 'public.blogs',
};

/** Rows of a kind that show something of other rows, `:keys`, and the column that is their id. */
interface Dependents {
  readonly id: string;
  readonly from: string;
}

/** By their own columns, so that they are found also if those others are gone. */
const DEPENDENTS: Readonly<Record<WideKind, Partial<Record<RowKind, readonly Dependents[]>>>> = {
  categories: {
    categories: [{ id: 'id', from: 'public.categories where parent_id = any(:keys::text[])' }],
    blogs: [{ id: 'blog_id', from: 'public.blog_categories where category_id = any(:keys::text[])' }],
  },
  tags: {
    blogs: [{ id: 'blog_id', from: 'public.blog_tags where tag_id = any(:keys::text[])' }],
  },
  websites: {
    categories: [
      { id: 'id', from: 'public.categories where website_id = any(:keys::text[])' },
      {
        id: 'child.id',
        from: `public.categories as child join public.categories as parent on parent.id = child.parent_id
          where parent.website_id = any(:keys::text[])`,
      },
    ],
    tags: [{ id: 'id', from: 'public.tags where website_id = any(:keys::text[])' }],
    blogs: [
      { id: 'id', from: 'public.blogs where website_id = any(:keys::text[])' },
      {
        id: 'link.blog_id',
        from: `public.blog_categories as link join public.categories as term on term.id = link.category_id
          where term.website_id = any(:keys::text[])`,
      },
      {
        id: 'link.blog_id',
        from: `public.blog_tags as link join public.tags as term on term.id = link.tag_id
          where term.website_id = any(:keys::text[])`,
      },
    ],
  },
};

export function tableOf(kind: RowKind): string {
  return TABLES[kind];
}

/**
 * A query for the next ids of a kind in a scope, in order. Each part of it gives its own next ones: to choose from all there are would
 * make each piece cost as much as the whole.
 */
export function nextKeysIn(scope: WalkedScope, kind: RowKind, isFirst: boolean): string {
  const parts =
    'keys' in scope ? (DEPENDENTS[scope.of][kind] ?? []) : [{ id: 'id', from: `${TABLES[kind]} where true` }];
  if (parts.length === 0) return `select id from ${TABLES[kind]} where false`;
  const next = parts.map(
    ({ id, from }) =>
      `(select distinct ${id} as id from ${from} ${isFirst ? '' : `and ${id} > :after`} order by 1 limit :limit)`,
  );
  return `select id from (${next.join(' union ')}) as present order by id limit :limit`;
}
