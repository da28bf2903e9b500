-- What blogs are found by, in rows as narrow as that is; and titles in packs, for searches that find many. See ADR 20.
--
-- A search that finds some is answered from the index on titles, which leads to rows that are looked at one by one. One that finds a quarter of a
-- million takes a text with the titles of a hundred blogs at a time instead: that tells how many it finds, and not which.

create table content_read.blog_entries (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  published_at timestamptz not null,
  category_slugs text[] collate "C" not null,
  tag_slugs text[] collate "C" not null,
  folded_title text collate "C" not null,
  -- Each letter of the title once.
  letters text collate "C" not null,
  -- Whether three letters in a row stand at two places of the title. Where they do not, nothing that is as long stands there twice.
  repeats boolean not null,
  -- A number within the website. What comes together stands in one pack, and stays there.
  pack integer not null
);

create table content_read.title_packs (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  pack integer not null,
  -- Of its blogs, with a separator before, between and behind them.
  titles text collate "C" not null,
  -- The others, in the same way.
  repetitive_titles text collate "C" not null,
  letters text collate "C" not null,
  blogs integer not null,
  primary key (organization_id, website_id, pack)
) with (toast_tuple_target = 8160);
-- Not compressed, and in the row itself as long as it fits into a page.
alter table content_read.title_packs
  alter column titles set storage external, alter column repetitive_titles set storage external, alter column letters set storage external;
-- By these it is told whether a search finds many.
create index title_packs_sampled on content_read.title_packs (organization_id, website_id) where pack % 128 = 64;

-- Nothing in Unicode's composed form has it: neither a folded title nor a search.
create function content_read.title_separator() returns text language sql immutable parallel safe as $$ select U&'\037E' $$;

-- Not called immutable: what it calls is not, and then it would be called once a row instead of becoming a part of the query.
create function content_read.letters_of(title text) returns text language sql stable as $$
  select array_to_string(tsvector_to_array(array_to_tsvector(string_to_array($1, null))), '')
$$;

-- Long ones are not looked at: it takes as long as they are, twice over.
create function content_read.repeats_itself(title text) returns boolean language sql stable as $$
  select case
    when length($1) < 4 then false
    when length($1) > 500 then true
    else length(array_to_tsvector(array(select substr($1, place, 3) from generate_series(1, length($1) - 2) as place))) < length($1) - 2
  end
$$;

create type content_read.pack_name as (organization_id text, website_id text, pack integer);

create function content_read.pack_titles(asked content_read.pack_name[]) returns void language plpgsql
-- A table that has grown has no statistics yet.
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
begin
  -- Planned each time, for tables of the size that they have by then.
  execute $pack$
    with asked as (
      select distinct organization_id, website_id, pack from unnest($1)
    ), packed as (
      insert into content_read.title_packs (organization_id, website_id, pack, titles, repetitive_titles, letters, blogs)
      select asked.organization_id, asked.website_id, asked.pack,
        content_read.title_separator()
          || coalesce(string_agg(entry.folded_title || content_read.title_separator(), '') filter (where not entry.repeats), ''),
        content_read.title_separator()
          || coalesce(string_agg(entry.folded_title || content_read.title_separator(), '') filter (where entry.repeats), ''),
        string_agg(entry.letters, ''), count(*)
      from asked cross join lateral (
        select folded_title, letters, repeats from content_read.blog_entries as stored
        where (stored.organization_id, stored.website_id, stored.pack) = (asked.organization_id, asked.website_id, asked.pack)
        offset 0
      ) as entry
      group by 1, 2, 3
      on conflict (organization_id, website_id, pack)
        do update set titles = excluded.titles, repetitive_titles = excluded.repetitive_titles, letters = excluded.letters,
          blogs = excluded.blogs
      returning organization_id, website_id, pack
    )
    delete from content_read.title_packs where ctid = any(array(
      select stored.ctid from asked cross join lateral (
        select ctid from content_read.title_packs as stored
        where (stored.organization_id, stored.website_id, stored.pack) = (asked.organization_id, asked.website_id, asked.pack)
        offset 0
      ) as stored
      where not exists (
        select from packed
        where (packed.organization_id, packed.website_id, packed.pack) = (asked.organization_id, asked.website_id, asked.pack))))
  $pack$ using asked;
end
$$;

create function content_read.enter_titles() returns trigger language plpgsql
-- A table that has grown has no statistics yet.
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  found_by constant text := 'organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title';
  nothing constant text := 'select %s from content_read.blogs where false';
  gone constant text := format(
    case tg_op when 'INSERT' then nothing when 'DELETE' then 'select %s from removed'
      else 'select %1$s from removed except select %1$s from added' end, found_by);
  come constant text := format(
    case tg_op when 'DELETE' then nothing when 'INSERT' then 'select %s from added'
      else 'select %1$s from added except select %1$s from removed' end, found_by);
  is_nothing boolean;
  touched content_read.pack_name[];
begin
  -- Most edits change nothing that a blog is found by.
  execute format('select not exists (%s) and not exists (%s)', gone, come) into is_nothing;
  if is_nothing then return null; end if;
  execute format($enter$
    with gone as (
      -- By address, one look-up an entry: without statistics the whole table would be read.
      delete from content_read.blog_entries as present where ctid = any(array(
        select found.ctid from (%1$s) as gone cross join lateral (
          select ctid from content_read.blog_entries as stored
          where (stored.organization_id, stored.id) = (gone.organization_id, gone.id) offset 0
        ) as found))
      returning organization_id, id, website_id, folded_title, pack
    ), come as (
      -- Where its title has become longer it leaves its pack, so that none grows without end.
      select come.*, gone.pack
      from (%2$s) as come left join gone
        on (gone.organization_id, gone.id, gone.website_id) = (come.organization_id, come.id, come.website_id)
          and octet_length(come.folded_title) <= octet_length(gone.folded_title)
    ), new as (
      select *, (sum(octet_length(folded_title) + 2) over (
        partition by organization_id, website_id rows between unbounded preceding and 1 preceding))::bigint as bytes_before
      from come where pack is null
    ), open as (
      select website.*, last.pack, last.bytes
      from (select distinct organization_id, website_id from new) as website left join lateral (
        select pack, octet_length(titles) + octet_length(repetitive_titles) as bytes from content_read.title_packs as stored
        where stored.organization_id = website.organization_id and stored.website_id = website.website_id
        order by pack desc limit 1
      ) as last on true
    ), placed as (
      select organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title, pack from come where pack is not null
      union all
      select new.organization_id, id, new.website_id, published_at, category_slugs, tag_slugs, folded_title,
        coalesce(open.pack, 0) + ((coalesce(open.bytes, 0) + coalesce(bytes_before, 0)) / 5500)::integer
      from new join open using (organization_id, website_id)
    ), entered as (
      insert into content_read.blog_entries
        (organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title, letters, repeats, pack)
      select organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title,
        content_read.letters_of(folded_title), content_read.repeats_itself(folded_title), pack
      from placed
      returning organization_id, id, website_id, folded_title, pack
    )
    select array_agg(distinct (organization_id, website_id, pack)::content_read.pack_name)
    from gone full join entered using (organization_id, id, website_id, pack)
    where gone.folded_title is distinct from entered.folded_title
  $enter$, gone, come) into touched;
  if touched is not null then
    perform content_read.pack_titles(touched);
  end if;
  return null;
end
$$;

create function content_read.clear_titles() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.blog_entries;
  delete from content_read.title_packs;
  return null;
end
$$;

-- Whoever writes waits until what is there is entered: what is written meanwhile would be missing.
lock table content_read.blogs in share row exclusive mode;
insert into content_read.blog_entries
  (organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title, letters, repeats, pack)
select organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title, content_read.letters_of(folded_title),
  content_read.repeats_itself(folded_title),
  (coalesce(sum(octet_length(folded_title) + 2) over (
    partition by organization_id, website_id rows between unbounded preceding and 1 preceding), 0) / 5500)::integer
from content_read.blogs;
insert into content_read.title_packs (organization_id, website_id, pack, titles, repetitive_titles, letters, blogs)
select organization_id, website_id, pack,
  content_read.title_separator() || coalesce(string_agg(folded_title || content_read.title_separator(), '') filter (where not repeats), ''),
  content_read.title_separator() || coalesce(string_agg(folded_title || content_read.title_separator(), '') filter (where repeats), ''),
  string_agg(letters, ''), count(*)
from content_read.blog_entries group by 1, 2, 3;

-- With the organization behind the id, and behind the pack: an organization may have a million, and no plan shall walk through all of its own.
alter table content_read.blog_entries add primary key (id, organization_id);
create index blog_entries_by_pack on content_read.blog_entries (pack, website_id, organization_id);
create index blog_entries_by_filter on content_read.blog_entries
  using gin (organization_id, website_id, category_slugs, tag_slugs, folded_title gin_trgm_ops);

create trigger enter_titles_added after insert on content_read.blogs
  referencing new table as added for each statement execute function content_read.enter_titles();
create trigger enter_titles_changed after update on content_read.blogs
  referencing old table as removed new table as added for each statement execute function content_read.enter_titles();
create trigger enter_titles_removed after delete on content_read.blogs
  referencing old table as removed for each statement execute function content_read.enter_titles();
create trigger clear_titles after truncate on content_read.blogs
  for each statement execute function content_read.clear_titles();

drop index content_read.blogs_by_filter;
