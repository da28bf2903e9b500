-- The far pages of a category or tag are found as those of all blogs are: its shelves are cut into blocks, too, and an index has its blogs in
-- their order. See ADR 20.

-- A blog in each list of a category or tag that it stands in. Triggers keep them, so that they are true in the transaction that writes the blog.
create table content_read.term_entries (
  organization_id text collate "C" not null,
  -- As on a shelf.
  term text collate "C" not null,
  website_id text collate "C" not null,
  published_at timestamptz not null,
  id text collate "C" not null
);

create function content_read.terms_of(category_slugs text[], tag_slugs text[])
returns table (term text) language sql immutable as $$
  select 'category=' || unnest($1) union select 'tag=' || unnest($2)
$$;

create or replace function content_read.shelves_of(website_id text, category_slugs text[], tag_slugs text[])
returns table (website text, term text) language sql immutable as $$
  select website, term
  from (values (''), ('=' || $1)) as websites (website)
    cross join (select '' union all select term from content_read.terms_of($2, $3)) as terms (term)
$$;

-- Whoever writes waits until what is there is entered: what is written meanwhile would be missing.
lock table content_read.blogs in share row exclusive mode;
insert into content_read.term_entries (organization_id, term, website_id, published_at, id)
select organization_id, term, website_id, published_at, id
from content_read.blogs cross join lateral content_read.terms_of(category_slugs, tag_slugs);
alter table content_read.term_entries add primary key (organization_id, term, published_at, id);
create index term_entries_of_website on content_read.term_entries (organization_id, website_id, term, published_at, id);

create function content_read.enter_terms() returns trigger language plpgsql
-- A table that has grown has no statistics yet.
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  place constant text := 'organization_id, website_id, published_at, id, category_slugs, tag_slugs';
begin
  if tg_op <> 'INSERT' then
    -- By address, one look-up an entry: without statistics the whole table would be read.
    execute format($gone$
      delete from content_read.term_entries where ctid = any(array(
        select found.ctid
        from (%s) as gone
          cross join lateral content_read.terms_of(gone.category_slugs, gone.tag_slugs) as term
          cross join lateral (
            select stored.ctid from content_read.term_entries as stored
            where (stored.organization_id, stored.term, stored.published_at, stored.id)
              = (gone.organization_id, term.term, gone.published_at, gone.id) offset 0
          ) as found))
    $gone$, format(
      case tg_op when 'DELETE' then 'select %1$s from removed' else 'select %1$s from removed except select %1$s from added' end, place));
  end if;
  if tg_op <> 'DELETE' then
    execute format($come$
      insert into content_read.term_entries (organization_id, term, website_id, published_at, id)
      select come.organization_id, term.term, come.website_id, come.published_at, come.id
      from (%s) as come cross join lateral content_read.terms_of(come.category_slugs, come.tag_slugs) as term
    $come$, format(
      case tg_op when 'INSERT' then 'select %1$s from added' else 'select %1$s from added except select %1$s from removed' end, place));
  end if;
  return null;
end
$$;

create trigger enter_terms_added after insert on content_read.blogs
  referencing new table as added for each statement execute function content_read.enter_terms();
create trigger enter_terms_moved after update on content_read.blogs
  referencing old table as removed new table as added for each statement execute function content_read.enter_terms();
create trigger enter_terms_removed after delete on content_read.blogs
  referencing old table as removed for each statement execute function content_read.enter_terms();

create function content_read.clear_term_entries() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.term_entries;
  return null;
end
$$;
create trigger clear_term_entries after truncate on content_read.blogs
  for each statement execute function content_read.clear_term_entries();

-- As in 0013, and each list may have several blocks.
create or replace function content_read.count_on_shelves() returns trigger language plpgsql
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  place constant text := 'organization_id, website_id, published_at, id, category_slugs, tag_slugs';
  moved constant text := case tg_op
    when 'INSERT' then format('select %s, 1 as change from added', place)
    when 'DELETE' then format('select %s, -1 as change from removed', place)
    -- Most edits leave a blog where it is.
    else format('
      (select %1$s, 1 as change from added except select %1$s, 1 from removed)
      union all (select %1$s, -1 from removed except select %1$s, -1 from added)', place)
  end;
begin
  execute format($count$
    with entries as (
      select moved.organization_id, shelf.website, shelf.term, moved.published_at, moved.id, moved.change
      from (%s) as moved
        cross join lateral content_read.shelves_of(moved.website_id, moved.category_slugs, moved.tag_slugs) as shelf
    )
    insert into content_read.blog_shelves as present
      (organization_id, website, term, from_published_at, from_id, blogs)
    select organization_id, website, term, coalesce(block.from_published_at, '-infinity'),
      coalesce(block.from_id, ''), sum(change)
    from entries left join lateral (
      select from_published_at, from_id from content_read.blog_shelves as stored
      where stored.organization_id = entries.organization_id and stored.website = entries.website
        and stored.term = entries.term
        and (stored.from_published_at, stored.from_id) <= (entries.published_at, entries.id)
      order by from_published_at desc, from_id desc limit 1
    ) as block on true
    group by 1, 2, 3, 4, 5
    having sum(change) <> 0
    on conflict (organization_id, website, term, from_published_at, from_id)
      do update set blogs = present.blogs + excluded.blogs
  $count$, moved);
  if not exists (select from content_read.shelf_counting where phase <> 'blocks') then
    return null;
  end if;
  execute format($count$
    insert into content_read.counted_shelves as present (organization_id, website, term, blogs)
    select moved.organization_id, shelf.website, shelf.term, sum(change)
    from (%s) as moved join content_read.shelf_counting as counting using (organization_id)
      cross join lateral content_read.shelves_of(moved.website_id, moved.category_slugs, moved.tag_slugs) as shelf
    where shelf.term <> '' and (
      counting.phase = 'blogs' and moved.id <= counting.id
      or counting.phase = 'lists' and (counting.website is null or (shelf.website, shelf.term) > (counting.website, counting.term)))
    group by 1, 2, 3
    having sum(change) <> 0
    on conflict (organization_id, website, term) do update set blogs = present.blogs + excluded.blogs
  $count$, moved);
  return null;
end
$$;

-- As in 0004, for every list.
create or replace function content_read.tidy_block() returns trigger language plpgsql
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  piece constant integer := 512;
  block content_read.blog_shelves;
  next_published_at timestamptz;
  next_id text;
begin
  select stored.* into block from content_read.blog_shelves as stored
  where (organization_id, website, term, from_published_at, from_id)
    = (new.organization_id, new.website, new.term, new.from_published_at, new.from_id);
  select from_published_at, from_id into next_published_at, next_id from content_read.blog_shelves
  where (organization_id, website, term)
      = (new.organization_id, new.website, new.term)
    and (from_published_at, from_id) > (new.from_published_at, new.from_id)
  order by from_published_at, from_id limit 1;
  if block.blogs = 0 then
    delete from content_read.blog_shelves
    where (organization_id, website, term, from_published_at, from_id)
        = (block.organization_id, block.website, block.term, block.from_published_at, block.from_id);
  elsif block.blogs > 2 * piece then
    execute format($cut$
      with numbered as (
        select published_at, id, (row_number() over (order by published_at, id) - 1) / $4 as piece
        from content_read.%s
        where organization_id = $1.organization_id %s %s and (published_at, id) >= ($1.from_published_at, $1.from_id)
          and (published_at, id) < ($2, $3)
      ), pieces as (
        select distinct on (piece) piece, published_at, id, count(*) over (partition by piece) as blogs
        from numbered order by piece, published_at, id
      )
      insert into content_read.blog_shelves as present
      select $1.organization_id, $1.website, $1.term, case piece when 0 then $1.from_published_at else published_at end,
        case piece when 0 then $1.from_id else id end, blogs
      from pieces
      on conflict (organization_id, website, term, from_published_at, from_id)
        do update set blogs = excluded.blogs
    $cut$, case block.term when '' then 'blogs' else 'term_entries' end,
      case when block.website <> '' then 'and website_id = substr($1.website, 2)' end,
      case when block.term <> '' then 'and term = $1.term' end)
    using block, coalesce(next_published_at, 'infinity'), coalesce(next_id, ''), piece;
  end if;
  return null;
end
$$;

drop trigger tidy_block on content_read.blog_shelves;
create constraint trigger tidy_block after insert or update of blogs on content_read.blog_shelves
  deferrable initially deferred for each row
  when (new.blogs = 0 or new.blogs > 1024)
  execute function content_read.tidy_block();

-- The lists of categories and tags that are there already are cut.
update content_read.blog_shelves set blogs = blogs where term <> '' and blogs > 1024;
set constraints content_read.tidy_block immediate;
