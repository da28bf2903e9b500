-- How many blogs each list has, and where in it they are: neither is counted or walked at request time.
--
-- A shelf is a list that can be asked for: of the organization, of a website, of a category or tag, or of one of those in a website. One
-- of a category or tag has all its blogs in one block. The others are longer, and people page through them: they are cut into blocks of
-- some hundred neighbours, from the oldest on. A block goes from its own place to that of the next one.
--
-- Triggers keep them, so that they are true in the very transaction that writes a blog, whoever writes it.

create table content_read.blog_shelves (
  organization_id text collate "C" not null,
  -- '' for any; else '=' and its id, which may itself be empty.
  website text collate "C" not null,
  -- '' for any; else 'category=' or 'tag=' and its slug.
  term text collate "C" not null,
  from_published_at timestamptz not null,
  from_id text collate "C" not null,
  blogs bigint not null,
  primary key (organization_id, website, term, from_published_at, from_id)
) with (fillfactor = 50);

-- As functions, since what is counted now and what is counted later must agree.
create function content_read.shelves_of(website_id text, category_slugs text[], tag_slugs text[])
returns table (website text, term text) language sql immutable as $$
  select website, term
  from (values (''), ('=' || $1)) as websites (website)
    cross join (select '' union select 'category=' || unnest($2) union select 'tag=' || unnest($3)) as terms (term)
$$;

create function content_read.count_on_shelves() returns trigger language plpgsql
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
  return null;
end
$$;

create trigger count_added after insert on content_read.blogs
  referencing new table as added for each statement execute function content_read.count_on_shelves();
create trigger count_moved after update on content_read.blogs
  referencing old table as removed new table as added for each statement execute function content_read.count_on_shelves();
create trigger count_removed after delete on content_read.blogs
  referencing old table as removed for each statement execute function content_read.count_on_shelves();

create function content_read.clear_shelves() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.blog_shelves;
  return null;
end
$$;
create trigger clear_shelves after truncate on content_read.blogs
  for each statement execute function content_read.clear_shelves();

-- Cuts a block that has grown too large into pieces, and drops one that is empty: at commit, when all is counted.
create function content_read.tidy_block() returns trigger language plpgsql
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
        from content_read.blogs
        where organization_id = $1.organization_id %s and (published_at, id) >= ($1.from_published_at, $1.from_id)
          and (published_at, id) < ($2, $3)
      ), pieces as (
        select distinct on (piece) piece, published_at, id, count(*) over (partition by piece) as blogs
        from numbered order by piece, published_at, id
      )
      insert into content_read.blog_shelves as present
      select $1.organization_id, $1.website, '', case piece when 0 then $1.from_published_at else published_at end,
        case piece when 0 then $1.from_id else id end, blogs
      from pieces
      on conflict (organization_id, website, term, from_published_at, from_id)
        do update set blogs = excluded.blogs
    $cut$, case when block.website <> '' then 'and website_id = substr($1.website, 2)' end)
    using block, coalesce(next_published_at, 'infinity'), coalesce(next_id, ''), piece;
  end if;
  return null;
end
$$;

create constraint trigger tidy_block after insert or update of blogs on content_read.blog_shelves
  deferrable initially deferred for each row
  when (new.blogs = 0 or (new.blogs > 1024 and new.term = ''))
  execute function content_read.tidy_block();

-- What is there already: in one block a shelf, which is cut at commit.
insert into content_read.blog_shelves
select organization_id, shelf.website, shelf.term, '-infinity', '', count(*)
from content_read.blogs cross join lateral content_read.shelves_of(blogs.website_id, category_slugs, tag_slugs) as shelf
group by 1, 2, 3;
set constraints content_read.tidy_block immediate;
