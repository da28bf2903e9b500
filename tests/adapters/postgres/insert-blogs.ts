import type { Knex } from 'knex';

/** Inserts blogs into all read tables at once, from a query for `id`, `organization_id`, `website_id`, `published_at`, `terms` and `folded_title`. */
export function insertBlogs(database: Knex, query: string, bindings: Knex.RawBinding = []): Knex.Raw {
  return database.raw(
    `with given as materialized (
      select * from (${query}) as given (id, organization_id, website_id, published_at, terms, folded_title)
    ), shown as (
      insert into content_read.blogs
      select organization_id, id, website_id, folded_title, 'slug ' || id, null, null, null, null, null, '', 0, 0, published_at, '[]', '[]' from given
    ), searched as (
      insert into content_read.titles select organization_id, id, website_id, published_at, terms, '{}', folded_title from given
    ), entries as (
      insert into content_read.list_entries
      select organization_id, term, website_id, published_at, id from given cross join unnest(terms || ''::text) as term returning *
    )
    insert into content_read.list_totals as present
    select organization_id, term, website, count(*) from entries cross join lateral (values (''), ('=' || website_id)) as list (website)
    group by 1, 2, 3
    on conflict (organization_id, term, website) do update set blogs = present.blogs + excluded.blogs`,
    bindings as never,
  );
}
