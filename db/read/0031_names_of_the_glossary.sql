-- Five tables get the names of docs/glossary.md.

-- A write of the sync worker starts with a row of this table, so it waits here and holds none of the others.
lock table content_read.sync_leader in share row exclusive mode;
alter table content_read.sync_work rename to sync_jobs;
alter table content_read.rows_set_aside rename to quarantined_rows;
alter table content_read.counted_shelves rename to recounted_lists;
alter table content_read.shelf_counting rename to recount_progress;
-- The last one, because requests read it.
alter table content_read.blog_shelves rename to blog_list_counts;

alter index content_read.sync_work_unfinished rename to sync_jobs_unfinished;
alter index content_read.rows_set_aside_by_id rename to quarantined_rows_by_id;
alter index content_read.blog_shelves_by_website rename to blog_list_counts_by_website;
alter sequence content_read.sync_work_id_seq rename to sync_jobs_id_seq;

do $$
declare
  statement text;
begin
  for statement in
    with renamed as (
      select former, stored.* from (values
        ('sync_work', 'sync_jobs'), ('rows_set_aside', 'quarantined_rows'), ('counted_shelves', 'recounted_lists'),
        ('shelf_counting', 'recount_progress'), ('blog_shelves', 'blog_list_counts')
      ) as pair (former, present) join pg_class as stored on relnamespace = 'content_read'::regnamespace and relname = present
    )
    -- From PostgreSQL 18 on, `not null` has a name, too.
    select format('alter table content_read.%I rename constraint %I to %I', relname, conname, relname || substr(conname, length(former) + 1))
    from renamed join pg_constraint on conrelid = renamed.oid and starts_with(conname, former || '_')
  loop
    execute statement;
  end loop;
end
$$;

-- As in 0013.
create or replace function content_read.clear_shelves() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.blog_list_counts;
  delete from content_read.recounted_lists;
  delete from content_read.recount_progress;
  return null;
end
$$;

-- As in 0025.
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
          select from_published_at, from_id from content_read.blog_list_counts as stored
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
      insert into content_read.blog_list_counts as present
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
      insert into content_read.blog_list_counts as present
        (organization_id, website, term, from_published_at, from_id, blogs)
      select organization_id, website, term, coalesce(block.from_published_at, '-infinity'),
        coalesce(block.from_id, ''), sum(change)
      from entries left join lateral (
        select from_published_at, from_id from content_read.blog_list_counts as stored
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
  if not exists (select from content_read.recount_progress where phase <> 'blocks') then
    return null;
  end if;
  execute format($count$
    insert into content_read.recounted_lists as present (organization_id, website, term, blogs)
    select moved.organization_id, shelf.website, shelf.term, sum(change)
    from (%s) as moved join content_read.recount_progress as counting using (organization_id)
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

-- As in 0025, with the setting of 0027.
create or replace function content_read.tidy_block() returns trigger language plpgsql
set enable_seqscan = off set enable_indexscan = on set enable_sort = off
set search_path = pg_catalog, pg_temp as $$
declare
  piece constant integer := 512;
  block content_read.blog_list_counts;
  next_published_at timestamptz;
  next_id text;
  cut_published_at timestamptz;
  cut_id text;
begin
  select stored.* into block from content_read.blog_list_counts as stored
  where (organization_id, website, term, from_published_at, from_id)
    = (new.organization_id, new.website, new.term, new.from_published_at, new.from_id);
  if block.blogs = 0 then
    delete from content_read.blog_list_counts
    where (organization_id, website, term, from_published_at, from_id)
        = (block.organization_id, block.website, block.term, block.from_published_at, block.from_id);
    return null;
  end if;
  select from_published_at, from_id into next_published_at, next_id from content_read.blog_list_counts
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
    update content_read.blog_list_counts set blogs = piece
    where (organization_id, website, term, from_published_at, from_id)
        = (block.organization_id, block.website, block.term, block.from_published_at, block.from_id);
    block.from_published_at := cut_published_at;
    block.from_id := cut_id;
    block.blogs := block.blogs - piece;
    insert into content_read.blog_list_counts select block.*;
  end loop;
  return null;
end
$$;

-- As in 0025, with the settings of 0026 and 0027.
create or replace function content_read.count_more_blogs(asked text, most integer) returns boolean language plpgsql
set enable_bitmapscan = off set enable_seqscan = off set enable_sort = off
set search_path = pg_catalog, pg_temp as $$
declare
  reached text;
begin
  select id into reached from content_read.recount_progress where organization_id = asked;
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
    insert into content_read.recounted_lists as present (organization_id, website, term, blogs)
    select asked, website, term, blogs from own
    union all
    select asked, '', term, sum(blogs) from own group by term
    on conflict (organization_id, website, term) do update set blogs = present.blogs + excluded.blogs
  ), moved as (
    update content_read.recount_progress set id = (select max(id) from following)
    where organization_id = asked and exists (select from following)
  )
  select max(id) into reached from following having count(*) = most;
  return reached is null;
end
$$;

-- As in 0013.
create or replace function content_read.compare_more_lists(asked text, most integer, out wrong bigint, out is_last boolean) language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  reached content_read.recount_progress;
  list record;
  compared integer := 0;
begin
  wrong := 0;
  select * into reached from content_read.recount_progress where organization_id = asked;
  for list in
    with stored as (
      select website, term, sum(blogs) as blogs from content_read.blog_list_counts
      where organization_id = asked and term <> '' and (reached.website is null or (website, term) > (reached.website, reached.term))
      group by 1, 2 order by 1, 2 limit most
    ), counted as (
      select website, term, blogs from content_read.recounted_lists
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
      delete from content_read.blog_list_counts
      where (organization_id, website, term) = (asked, list.website, list.term);
      if list.counted > 0 then
        insert into content_read.blog_list_counts (organization_id, website, term, from_published_at, from_id, blogs)
        values (asked, list.website, list.term, '-infinity', '', list.counted);
      end if;
    end if;
  end loop;
  delete from content_read.recounted_lists
  where organization_id = asked and (website, term) <= (reached.website, reached.term);
  update content_read.recount_progress set website = reached.website, term = reached.term where organization_id = asked;
  is_last := compared < most;
end
$$;

-- As in 0013, with the setting of 0027.
create or replace function content_read.count_more_blocks(asked text, most integer, out wrong bigint, out is_last boolean) language plpgsql
set enable_sort = off
set search_path = pg_catalog, pg_temp as $$
declare
  -- Of one that has lost others: what follows becomes a block that is wrong, and is the next to be counted.
  longest constant bigint := 4096;
  block content_read.recount_progress;
  stored bigint;
  next_published_at timestamptz;
  next_id text;
  counted bigint;
  blogs_left bigint := most;
begin
  wrong := 0;
  is_last := false;
  select * into block from content_read.recount_progress where organization_id = asked;
  while blogs_left > 0 loop
    if block.from_published_at is null then
      block.from_published_at := '-infinity';
      block.from_id := '';
      select blogs into stored from content_read.blog_list_counts
      where (organization_id, website, term, from_published_at, from_id) = (asked, block.website, '', '-infinity', '');
    else
      select from_published_at, from_id, blogs into next_published_at, next_id, stored from content_read.blog_list_counts
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
          (select website from content_read.blog_list_counts
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
    select from_published_at, from_id into next_published_at, next_id from content_read.blog_list_counts
    where organization_id = asked and website = block.website and term = ''
      and (from_published_at, from_id) > (block.from_published_at, block.from_id)
    order by from_published_at, from_id limit 1;
    counted := content_read.blogs_between(asked, block.website, block.from_published_at, block.from_id,
      coalesce(next_published_at, 'infinity'), coalesce(next_id, ''), longest);
    if counted <> stored then
      wrong := wrong + 1;
      insert into content_read.blog_list_counts as present (organization_id, website, term, from_published_at, from_id, blogs)
      values (asked, block.website, '', block.from_published_at, block.from_id, counted)
      on conflict (organization_id, website, term, from_published_at, from_id) do update set blogs = excluded.blogs;
      if counted = longest then
        insert into content_read.blog_list_counts (organization_id, website, term, from_published_at, from_id, blogs)
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
  update content_read.recount_progress
  set website = block.website, from_published_at = block.from_published_at, from_id = block.from_id
  where organization_id = asked;
end
$$;

-- As in 0027. The key of the lock keeps the former name: a session that waits for it may go on after this migration.
create or replace function content_read.recount(asked text, most integer, out wrong bigint, out is_over boolean) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off
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
      and id >= coalesce((select id from content_read.recount_progress where organization_id = asked), '')
      and not exists (select from content_read.recount_progress where organization_id = asked and phase <> 'blogs')
    order by id limit most) as following;
  perform pg_advisory_xact_lock(hashtextextended('content_read.blog_shelves', 0));
  insert into content_read.recount_progress (organization_id) values (asked) on conflict do nothing;
  select phase into present from content_read.recount_progress where organization_id = asked;
  if present = 'blogs' then
    if not content_read.count_more_blogs(asked, most) then return; end if;
    present := 'lists';
    update content_read.recount_progress set phase = 'lists' where organization_id = asked;
  end if;
  if present = 'lists' then
    select more.wrong, more.is_last into found_wrong, is_last from content_read.compare_more_lists(asked, most) as more;
    wrong := found_wrong;
    if not is_last then return; end if;
    update content_read.recount_progress set phase = 'blocks', website = '', term = '' where organization_id = asked;
  end if;
  select more.wrong, more.is_last into found_wrong, is_over from content_read.count_more_blocks(asked, most) as more;
  wrong := wrong + found_wrong;
  if is_over then
    delete from content_read.recounted_lists where organization_id = asked;
    delete from content_read.recount_progress where organization_id = asked;
  end if;
end
$$;
