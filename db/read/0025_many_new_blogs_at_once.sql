-- What a fill pays for each blog beside its rows: its totals, its place among the titles, and blocks that are cut. See ADR 19.

-- As in 0015. Of many blogs that are new, the blocks of each list are read once, and no block is looked up for each blog in each of its lists: places are numbered
-- in their order, and how many numbers of a list come before a block tells how many blogs it gains. That takes as long as there are blocks, too: not for few blogs.
create or replace function content_read.count_on_shelves() returns trigger language plpgsql
set enable_seqscan = off set enable_indexscan = on set enable_mergejoin = off
set search_path = pg_catalog, pg_temp as $$
declare
  few constant integer := 250;
  place constant text := 'organization_id, website_id, published_at, id, category_slugs, tag_slugs';
  moved constant text := case tg_op
    when 'INSERT' then format('select %s, 1 as change from added', place)
    when 'DELETE' then format('select %s, -1 as change from removed', place)
    -- Most edits leave a blog where it is.
    else format('
      (select %1$s, 1 as change from added except select %1$s, 1 from removed)
      union all (select %1$s, -1 from removed except select %1$s, -1 from added)', place)
  end;
  are_many_new boolean := false;
begin
  if tg_op = 'INSERT' then
    execute 'select exists (select from added offset $1)' into are_many_new using few;
  end if;
  if are_many_new then
    execute $count$
      with place as materialized (
        select organization_id, website_id, published_at, id, category_slugs, tag_slugs,
          row_number() over (order by published_at, id)::integer as number
        from added
      ), entry as materialized (
        select organization_id, website_id, '' as term, number from place
        union all
        select organization_id, website_id, 'category=' || unnest(category_slugs), number from place
        union all
        select organization_id, website_id, 'tag=' || unnest(tag_slugs), number from place
      ), own as materialized (
        select organization_id, website_id, term, row_number() over ()::integer as list,
          -dense_rank() over (order by organization_id, term)::integer as list_of_all
        from (select distinct organization_id, website_id, term from entry) as own
      ), standing as materialized (
        select own.list, own.list_of_all, entry.number from entry join own using (organization_id, website_id, term)
      ), list as materialized (
        -- A blog may have several categories of one slug.
        select list, array_agg(distinct number order by number) as numbers from standing group by 1
        union all
        select list_of_all, array_agg(distinct number order by number) from standing group by 1
      ), named as materialized (
        select list, organization_id, '=' || website_id as website, term from own
        union all
        select distinct list_of_all, organization_id, '', term from own
      ), block as materialized (
        select named.list, stored.from_published_at, stored.from_id
        from named cross join lateral (
          select from_published_at, from_id from content_read.blog_shelves as stored
          where (stored.organization_id, stored.website, stored.term) = (named.organization_id, named.website, named.term) offset 0
        ) as stored
        union
        select list, '-infinity', '' from named
      ), beginning as (
        select list, from_published_at, from_id,
          count(number) over (order by from_published_at, from_id, number nulls first rows unbounded preceding)::integer as numbers_before
        from (
          select list, from_published_at, from_id, null::integer as number from block
          union all
          select null, published_at, id, number from place
        ) as either
      ), passed as materialized (
        select list, from_published_at, from_id, width_bucket(numbers_before, numbers) as blogs_before, cardinality(numbers) as blogs
        from beginning join list using (list)
      ), gained as (
        select list, from_published_at, from_id,
          lead(blogs_before, 1, passed.blogs) over (partition by list order by from_published_at, from_id) - blogs_before as blogs
        from passed
      )
      insert into content_read.blog_shelves as present
        (organization_id, website, term, from_published_at, from_id, blogs)
      select organization_id, website, term, from_published_at, from_id, gained.blogs
      from gained join named using (list)
      where gained.blogs > 0
      on conflict (organization_id, website, term, from_published_at, from_id)
        do update set blogs = present.blogs + excluded.blogs
    $count$;
  else
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
  end if;
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

-- As in 0015, and the blogs of a block are not counted once more to cut it: how many there are stands on it, so that only the place of the cut is looked for.
create or replace function content_read.tidy_block() returns trigger language plpgsql
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  piece constant integer := 512;
  block content_read.blog_shelves;
  next_published_at timestamptz;
  next_id text;
  cut_published_at timestamptz;
  cut_id text;
begin
  select stored.* into block from content_read.blog_shelves as stored
  where (organization_id, website, term, from_published_at, from_id)
    = (new.organization_id, new.website, new.term, new.from_published_at, new.from_id);
  if block.blogs = 0 then
    delete from content_read.blog_shelves
    where (organization_id, website, term, from_published_at, from_id)
        = (block.organization_id, block.website, block.term, block.from_published_at, block.from_id);
    return null;
  end if;
  select from_published_at, from_id into next_published_at, next_id from content_read.blog_shelves
  where (organization_id, website, term)
      = (new.organization_id, new.website, new.term)
    and (from_published_at, from_id) > (new.from_published_at, new.from_id)
  order by from_published_at, from_id limit 1;
  while block.blogs > 2 * piece loop
    execute format($cut$
      select published_at, id from content_read.%s
      where organization_id = $1.organization_id %s %s and (published_at, id) >= ($1.from_published_at, $1.from_id)
        and (published_at, id) < ($2, $3)
      order by published_at, id offset $4 limit 1
    $cut$, case block.term when '' then 'blogs' else 'term_entries' end,
      case when block.website <> '' then 'and website_id = substr($1.website, 2)' end,
      case when block.term <> '' then 'and term = $1.term' end)
    into cut_published_at, cut_id
    using block, coalesce(next_published_at, 'infinity'), coalesce(next_id, ''), piece;
    -- Its total is wrong: it is counted anew by whoever counts all of them.
    exit when cut_id is null;
    update content_read.blog_shelves set blogs = piece
    where (organization_id, website, term, from_published_at, from_id)
        = (block.organization_id, block.website, block.term, block.from_published_at, block.from_id);
    block.from_published_at := cut_published_at;
    block.from_id := cut_id;
    block.blogs := block.blogs - piece;
    insert into content_read.blog_shelves select block.*;
  end loop;
  return null;
end
$$;

-- As in 0013, with each list of a blog once for its website, and added up for all websites from there.
create or replace function content_read.count_more_blogs(asked text, most integer) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  reached text;
begin
  select id into reached from content_read.shelf_counting where organization_id = asked;
  with following as materialized (
    select id, website_id, category_slugs, tag_slugs from content_read.blogs
    where organization_id = asked and id >= coalesce(reached, '') and id is distinct from reached
    order by id limit most
  ), entry as (
    select id, website_id, 'category=' || unnest(category_slugs) as term from following
    union
    select id, website_id, 'tag=' || unnest(tag_slugs) from following
  ), own as materialized (
    select '=' || website_id as website, term, count(*) as blogs from entry group by website_id, term
  ), counted as (
    insert into content_read.counted_shelves as present (organization_id, website, term, blogs)
    select asked, website, term, blogs from own
    union all
    select asked, '', term, sum(blogs) from own group by term
    on conflict (organization_id, website, term) do update set blogs = present.blogs + excluded.blogs
  ), moved as (
    update content_read.shelf_counting set id = (select max(id) from following)
    where organization_id = asked and exists (select from following)
  )
  select max(id) into reached from following having count(*) = most;
  return reached is null;
end
$$;

-- As in 0019, where each blog's terms were put together by a query of their own.
create or replace function content_read.enter_added_terms() returns trigger language plpgsql
-- A table that has grown has no statistics yet.
set enable_seqscan = off set enable_indexscan = on set enable_hashagg = off
set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from added) then return null; end if;
  -- In the order of its index, of which each page is found once then.
  execute $enter$
    insert into content_read.term_entries (organization_id, term, website_id, published_at, id)
    select distinct organization_id, term, website_id, published_at, id
    from (
      select organization_id, 'category=' || unnest(category_slugs) as term, website_id, published_at, id from added
      union all
      select organization_id, 'tag=' || unnest(tag_slugs), website_id, published_at, id from added
    ) as entry
    order by organization_id, term, published_at, id
  $enter$;
  return null;
end
$$;

-- As in 0019, where the last pack of a website was looked up for each of its blogs.
create or replace function content_read.enter_added_titles() returns trigger language plpgsql
-- A table that has grown has no statistics yet.
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  touched content_read.pack_name[];
begin
  -- What writes rows that are there already adds none.
  if not exists (select from added) then return null; end if;
  -- Planned each time, for tables of the size that they have by then.
  execute $enter$
    with new as (
      select organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title,
        coalesce(sum(octet_length(folded_title) + 2) over (
          partition by organization_id, website_id rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from added
    ), open as materialized (
      select website.*, coalesce(last.pack, 0) as pack, coalesce(last.bytes, 0) as bytes
      from (select distinct organization_id, website_id from added) as website left join lateral (
        select pack, octet_length(titles) + octet_length(repetitive_titles) as bytes from content_read.title_packs as stored
        where stored.organization_id = website.organization_id and stored.website_id = website.website_id
        order by pack desc limit 1
      ) as last on true
    ), entered as (
      insert into content_read.blog_entries
        (organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title, letters, repeats, pack)
      select organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title,
        content_read.letters_of(folded_title), content_read.repeats_itself(folded_title),
        open.pack + ((open.bytes + bytes_before) / 5500)::integer
      from new join open using (organization_id, website_id)
      returning organization_id, website_id, pack
    )
    select array_agg(distinct (organization_id, website_id, pack)::content_read.pack_name) from entered
  $enter$ into touched;
  perform content_read.pack_titles(touched);
  return null;
end
$$;

-- As in 0023, and what a title consists of is told by a regular expression, in a tenth of the time of looking for each of its letters in a list.
do $do$
declare
  -- Whoever made the extension chose where.
  trigrams constant text := (
    select format('%I.show_trgm', nspname) from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm');
begin
  execute format($create$
    create or replace function content_read.repeats_itself(title text) returns boolean language sql stable as $$
      select case
        when length($1) not between 4 and 500 then length($1) > 500
        when $1 !~ '[^a-z ,.:''!?&"-]'
          then cardinality(%1$s(translate($1, ' ,.:-''!?&"', '0123456789'))) <= length($1)
        when $1 !~ '[^a-pr-z0-9 ]'
          then cardinality(%1$s(replace($1, ' ', 'q'))) <= length($1)
        else content_read.has_three_letters_twice($1)
      end
    $$
  $create$, trigrams);
end
$do$;
