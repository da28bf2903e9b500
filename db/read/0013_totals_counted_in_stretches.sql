-- Totals are counted anew in stretches, however many blogs an organization has: see ADR 18.
--
-- The lists of categories and tags have no index that could count a part of them. So the organization's blogs are counted in the order of their
-- ids, and the triggers count on what has been passed already: what is counted is exact at every moment, whoever writes meanwhile. Then it is compared with
-- what stands on the shelves. The lists that are cut into blocks are counted block by block.

-- What is being counted, and how far it is: `blogs` up to an id, then `lists` up to one, then `blocks` up to one.
create table content_read.shelf_counting (
  organization_id text collate "C" primary key,
  phase text not null default 'blogs' check (phase in ('blogs', 'lists', 'blocks')),
  -- Null: none yet.
  id text collate "C",
  website text collate "C",
  term text collate "C",
  from_published_at timestamptz,
  from_id text collate "C"
);

-- How many there are on each shelf of a category or tag, of the blogs that were passed; no more of those that were compared.
create table content_read.counted_shelves (
  organization_id text collate "C" not null,
  website text collate "C" not null,
  term text collate "C" not null,
  blogs bigint not null,
  primary key (organization_id, website, term)
) with (fillfactor = 50);

create or replace function content_read.clear_shelves() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.blog_shelves;
  delete from content_read.counted_shelves;
  delete from content_read.shelf_counting;
  return null;
end
$$;

-- As in 0004, and what is being counted is counted on.
create or replace function content_read.count_on_shelves() returns trigger language plpgsql
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
        and stored.term = ''
        and (stored.from_published_at, stored.from_id) <= (entries.published_at, entries.id)
      order by from_published_at desc, from_id desc limit 1
    ) as block on entries.term = ''
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

-- Counts up to so many blogs more. Answers whether these were the last.
create function content_read.count_more_blogs(asked text, most integer) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  reached text;
begin
  select id into reached from content_read.shelf_counting where organization_id = asked;
  with following as materialized (
    select id, website_id, category_slugs, tag_slugs from content_read.blogs
    where organization_id = asked and id >= coalesce(reached, '') and id is distinct from reached
    order by id limit most
  ), counted as (
    insert into content_read.counted_shelves as present (organization_id, website, term, blogs)
    select asked, shelf.website, shelf.term, count(*)
    from following cross join lateral content_read.shelves_of(website_id, category_slugs, tag_slugs) as shelf
    where shelf.term <> '' group by 2, 3
    on conflict (organization_id, website, term) do update set blogs = present.blogs + excluded.blogs
  ), moved as (
    update content_read.shelf_counting set id = (select max(id) from following)
    where organization_id = asked and exists (select from following)
  )
  select max(id) into reached from following having count(*) = most;
  return reached is null;
end
$$;

-- Compares up to so many lists of categories and tags more with what was counted, and mends them.
create function content_read.compare_more_lists(asked text, most integer, out wrong bigint, out is_last boolean) language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  reached content_read.shelf_counting;
  list record;
  compared integer := 0;
begin
  wrong := 0;
  select * into reached from content_read.shelf_counting where organization_id = asked;
  for list in
    with stored as (
      select website, term, sum(blogs) as blogs from content_read.blog_shelves
      where organization_id = asked and term <> '' and (reached.website is null or (website, term) > (reached.website, reached.term))
      group by 1, 2 order by 1, 2 limit most
    ), counted as (
      select website, term, blogs from content_read.counted_shelves
      where organization_id = asked and (reached.website is null or (website, term) > (reached.website, reached.term))
      order by 1, 2 limit most
    )
    select website, term, coalesce(counted.blogs, 0) as counted, coalesce(stored.blogs, 0) as stored
    from stored full join counted using (website, term) order by 1, 2 limit most
  loop
    compared := compared + 1;
    reached.website := list.website;
    reached.term := list.term;
    if list.counted <> list.stored then
      wrong := wrong + 1;
      delete from content_read.blog_shelves
      where (organization_id, website, term) = (asked, list.website, list.term);
      if list.counted > 0 then
        insert into content_read.blog_shelves (organization_id, website, term, from_published_at, from_id, blogs)
        values (asked, list.website, list.term, '-infinity', '', list.counted);
      end if;
    end if;
  end loop;
  delete from content_read.counted_shelves
  where organization_id = asked and (website, term) <= (reached.website, reached.term);
  update content_read.shelf_counting set website = reached.website, term = reached.term where organization_id = asked;
  is_last := compared < most;
end
$$;

-- No more than `most`.
create function content_read.blogs_between(
  asked text, website text, from_published_at timestamptz, from_id text, to_published_at timestamptz, to_id text, most bigint
) returns bigint language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
begin
  -- Each has an index of its own.
  if website = '' then
    return (select count(*) from (
      select from content_read.blogs
      where organization_id = asked and (published_at, id) >= ($3, $4) and (published_at, id) < ($5, $6)
      order by published_at desc, id desc limit most) as found);
  end if;
  return (select count(*) from (
    select from content_read.blogs
    where organization_id = asked and website_id = substr(website, 2) and (published_at, id) >= ($3, $4) and (published_at, id) < ($5, $6)
    order by published_at desc, id desc limit most) as found);
end
$$;

-- Counts block by block, until these hold so many blogs, and mends them. A list that has lost its first block has one of no blogs.
create function content_read.count_more_blocks(asked text, most integer, out wrong bigint, out is_last boolean) language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  -- Of one that has lost others: what follows becomes a block that is wrong, and is the next to be counted.
  longest constant bigint := 4096;
  block content_read.shelf_counting;
  stored bigint;
  next_published_at timestamptz;
  next_id text;
  counted bigint;
  blogs_left bigint := most;
begin
  wrong := 0;
  is_last := false;
  select * into block from content_read.shelf_counting where organization_id = asked;
  while blogs_left > 0 loop
    if block.from_published_at is null then
      block.from_published_at := '-infinity';
      block.from_id := '';
      select blogs into stored from content_read.blog_shelves
      where (organization_id, website, term, from_published_at, from_id) = (asked, block.website, '', '-infinity', '');
    else
      select from_published_at, from_id, blogs into next_published_at, next_id, stored from content_read.blog_shelves
      where organization_id = asked and website = block.website and term = ''
        and (from_published_at, from_id) > (block.from_published_at, block.from_id)
      order by from_published_at, from_id limit 1;
      if not found then
        block.from_published_at := null;
        block.from_id := null;
        block.website := least(
          (select '=' || website_id from content_read.blogs
            where organization_id = asked and (block.website = '' or website_id > substr(block.website, 2))
            order by organization_id, website_id limit 1),
          (select website from content_read.blog_shelves
            where organization_id = asked and website > block.website and term = ''
            order by website limit 1));
        is_last := block.website is null;
        exit when is_last;
        continue;
      end if;
      block.from_published_at := next_published_at;
      block.from_id := next_id;
    end if;
    stored := coalesce(stored, 0);
    select from_published_at, from_id into next_published_at, next_id from content_read.blog_shelves
    where organization_id = asked and website = block.website and term = ''
      and (from_published_at, from_id) > (block.from_published_at, block.from_id)
    order by from_published_at, from_id limit 1;
    counted := content_read.blogs_between(asked, block.website, block.from_published_at, block.from_id,
      coalesce(next_published_at, 'infinity'), coalesce(next_id, ''), longest);
    if counted <> stored then
      wrong := wrong + 1;
      insert into content_read.blog_shelves as present (organization_id, website, term, from_published_at, from_id, blogs)
      values (asked, block.website, '', block.from_published_at, block.from_id, counted)
      on conflict (organization_id, website, term, from_published_at, from_id) do update set blogs = excluded.blogs;
      if counted = longest then
        insert into content_read.blog_shelves (organization_id, website, term, from_published_at, from_id, blogs)
        select asked, block.website, '', published_at, id, 1
        from content_read.blogs
        where organization_id = asked and (block.website = '' or website_id = substr(block.website, 2))
          and (published_at, id) >= (block.from_published_at, block.from_id)
          and (published_at, id) < (coalesce(next_published_at, 'infinity'), coalesce(next_id, ''))
        order by published_at, id offset longest limit 1;
      end if;
    end if;
    -- Also one of few blogs costs something.
    blogs_left := blogs_left - counted - 20;
  end loop;
  update content_read.shelf_counting
  set website = block.website, from_published_at = block.from_published_at, from_id = block.from_id
  where organization_id = asked;
end
$$;

-- Counts a stretch of the totals of an organization anew, and answers how many were wrong, and whether it was the last stretch. Goes on where it was left.
create function content_read.recount(asked text, most integer, out wrong bigint, out is_over boolean) language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  present text;
  found_wrong bigint;
  is_last boolean;
begin
  wrong := 0;
  is_over := false;
  -- What has to come from the disk comes before others wait.
  perform count(category_slugs) from (
    select category_slugs from content_read.blogs
    where organization_id = asked
      and id >= coalesce((select id from content_read.shelf_counting where organization_id = asked and phase = 'blogs'), '')
    order by id limit most) as following;
  perform pg_advisory_xact_lock(hashtextextended('content_read.blog_shelves', 0));
  insert into content_read.shelf_counting (organization_id) values (asked) on conflict do nothing;
  select phase into present from content_read.shelf_counting where organization_id = asked;
  if present = 'blogs' then
    if not content_read.count_more_blogs(asked, most) then return; end if;
    present := 'lists';
    update content_read.shelf_counting set phase = 'lists' where organization_id = asked;
  end if;
  if present = 'lists' then
    select more.wrong, more.is_last into found_wrong, is_last from content_read.compare_more_lists(asked, most) as more;
    wrong := found_wrong;
    if not is_last then return; end if;
    update content_read.shelf_counting set phase = 'blocks', website = '', term = '' where organization_id = asked;
  end if;
  select more.wrong, more.is_last into found_wrong, is_over from content_read.count_more_blocks(asked, most) as more;
  wrong := wrong + found_wrong;
  if is_over then
    delete from content_read.counted_shelves where organization_id = asked;
    delete from content_read.shelf_counting where organization_id = asked;
  end if;
end
$$;

drop function content_read.recount_shelves(text);
