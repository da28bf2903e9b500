import type { RowKind } from '../../domain/model/read-model.js';
import type { WalkedScope, WideKind } from '../../domain/model/sync-work.js';

const TABLES: Readonly<Record<RowKind, string>> = {
  apiKeys: 'public.api_keys',
  categories: 'public.categories',
  tags: 'public.tags',
  blogs: 'public.blogs',
};

/** Which rows show something of other rows, `:keys`: by their own columns, so that they are found also if those are gone. */
const DEPENDENTS: Readonly<Record<WideKind, Partial<Record<RowKind, string>>>> = {
  categories: {
    categories: 'select id from public.categories where parent_id = any(:keys::text[])',
    blogs: 'select distinct blog_id as id from public.blog_categories where category_id = any(:keys::text[])',
  },
  tags: {
    blogs: 'select distinct blog_id as id from public.blog_tags where tag_id = any(:keys::text[])',
  },
  websites: {
    categories: `
      select id from public.categories where website_id = any(:keys::text[])
      union
      select child.id from public.categories as child join public.categories as parent on parent.id = child.parent_id
      where parent.website_id = any(:keys::text[])`,
    tags: 'select id from public.tags where website_id = any(:keys::text[])',
    blogs: `
      select id from public.blogs where website_id = any(:keys::text[])
      union
      select link.blog_id from public.blog_categories as link join public.categories as term on term.id = link.category_id
      where term.website_id = any(:keys::text[])
      union
      select link.blog_id from public.blog_tags as link join public.tags as term on term.id = link.tag_id
      where term.website_id = any(:keys::text[])`,
  },
};

export function tableOf(kind: RowKind): string {
  return TABLES[kind];
}

/** A query for the ids of all rows of a kind in a scope. */
export function keysIn(scope: WalkedScope, kind: RowKind): string {
  if (!('keys' in scope)) return `select id from ${TABLES[kind]}`;
  return DEPENDENTS[scope.of][kind] ?? `select id from ${TABLES[kind]} where false`;
}
