-- Totals that two sessions write at once are written one after the other, and totals that are wrong are counted anew: see ADR 10.

-- Taken to the end of the transaction by whoever changes what stands on shelves. What follows it sees all that was counted before.
create function content_read.lock_shelves() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('content_read.blog_shelves', 0));
  return null;
end
$$;
-- Triggers of one event fire by name: `at_first` is before `count_…`.
create trigger at_first_after_insert after insert on content_read.blogs
  for each statement execute function content_read.lock_shelves();
create trigger at_first_after_update after update on content_read.blogs
  for each statement execute function content_read.lock_shelves();
create trigger at_first_after_delete after delete on content_read.blogs
  for each statement execute function content_read.lock_shelves();

-- Counts all shelves of an organization anew, and answers how many were wrong. Those begin again as one block, which is cut at commit.
create function content_read.recount_shelves(asked text) returns bigint language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  wrong jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('content_read.blog_shelves', 0));
  select coalesce(jsonb_agg(to_jsonb(shelf)), '[]') into wrong from (
    with counted as (
      select shelf.website, shelf.term, coalesce(block.from_published_at, '-infinity') as from_published_at,
        coalesce(block.from_id, '') as from_id, count(*) as blogs
      from content_read.blogs as blog
        cross join lateral content_read.shelves_of(blog.website_id, blog.category_slugs, blog.tag_slugs) as shelf
        left join lateral (
          select from_published_at, from_id from content_read.blog_shelves as stored
          where stored.organization_id = asked and stored.website = shelf.website and stored.term = ''
            and (stored.from_published_at, stored.from_id) <= (blog.published_at, blog.id)
          order by from_published_at desc, from_id desc limit 1
        ) as block on shelf.term = ''
      where blog.organization_id = asked
      group by 1, 2, 3, 4
    ), stored as (
      select website, term, from_published_at, from_id, blogs from content_read.blog_shelves where organization_id = asked
    ), wrong as (
      select distinct website, term
      from counted full join stored using (website, term, from_published_at, from_id)
      where counted.blogs is distinct from stored.blogs
    )
    select wrong.website, wrong.term, coalesce(sum(counted.blogs), 0)::bigint as blogs
    from wrong left join counted using (website, term) group by 1, 2
  ) as shelf;
  delete from content_read.blog_shelves as stored using jsonb_to_recordset(wrong) as shelf (website text, term text)
  where stored.organization_id = asked and (stored.website, stored.term) = (shelf.website, shelf.term);
  insert into content_read.blog_shelves (organization_id, website, term, from_published_at, from_id, blogs)
  select asked, website, term, '-infinity', '', blogs
  from jsonb_to_recordset(wrong) as shelf (website text, term text, blogs bigint) where blogs > 0;
  return jsonb_array_length(wrong);
end
$$;
