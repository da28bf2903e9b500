-- What each pack knows of its titles: in how many of them a letter stands, and a word that many of them have. A search for these looks at no title,
-- and one with a letter that a pack does not have passes it. See ADR 20.

create table content_read.pack_counts (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  pack integer not null,
  blogs integer not null,
  -- By each letter of ASCII that one has, and by the words that many have and their beginnings: in how many titles this stands, within other
  -- words too. Anything longer than a letter that is not here may stand in any of them. Null for the last pack of a website: each new blog changes it.
  titles_with jsonb,
  primary key (organization_id, website_id, pack)
) with (toast_tuple_target = 8160);
-- As title_packs: in the row itself, as it is.
alter table content_read.pack_counts alter column titles_with set storage external;

-- In a language that plans it once a session: it reads no table.
create function content_read.counts_of_pack(titles text, repetitive_titles text, letters text) returns jsonb stable language plpgsql
set plan_cache_mode = force_generic_plan
set search_path = pg_catalog, pg_temp as $$
begin
  return (
    -- The words come from the first titles: those that many have are among them.
    with word as materialized (
      select word, replace(titles || repetitive_titles, word, content_read.title_separator()) as others
      from (
        select word
        from unnest(string_to_array(replace(left(titles || repetitive_titles, 1000), content_read.title_separator(), ' '), ' ')) as word
        where length(word) between 3 and 30
        group by word having count(*) > 1 order by count(*) desc, word limit 6
      ) as common
    ), counted as (
      select word,
        (octet_length(titles) - octet_length(replace(titles, word, ''))) / octet_length(word) + (
          select count(*) filter (where strpos(rest, content_read.title_separator()) > 0) - 1
          from unnest(string_to_array(repetitive_titles, word)) as rest) as blogs,
        -- A beginning that stands nowhere else is in as many titles as its word.
        (select size from generate_series(3, length(word)) as size where strpos(others, left(word, size)) = 0 limit 1) as shortest
      from word
    )
    select coalesce(jsonb_object_agg(part, blogs), '{}')
    from (
      select left(word, size), blogs from counted cross join lateral generate_series(shortest, length(word)) as size
      union all
      -- A title has each of its letters once in them.
      select chr(code), octet_length(letters) - octet_length(replace(letters, chr(code), ''))
      from generate_series(32, 126) as code where strpos(letters, chr(code)) > 0
    ) as known (part, blogs));
end
$$;

create function content_read.count_packs(asked content_read.pack_name[]) returns void language plpgsql
-- Each row is found by its key, in tables of any size: these plans may be kept.
set enable_seqscan = off set enable_indexscan = on set plan_cache_mode = force_generic_plan
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.pack_counts where ctid = any(array(
    select stored.ctid from unnest(asked) as name cross join lateral (
      select ctid from content_read.pack_counts as counts
      where (counts.organization_id, counts.website_id, counts.pack) = (name.organization_id, name.website_id, name.pack) offset 0
    ) as stored
    where not exists (
      select from content_read.title_packs as titles
      where (titles.organization_id, titles.website_id, titles.pack) = (name.organization_id, name.website_id, name.pack))));
  insert into content_read.pack_counts as present (organization_id, website_id, pack, blogs, titles_with)
  select name.organization_id, name.website_id, name.pack, packed.blogs, case when exists (
      select from content_read.title_packs as later
      where (later.organization_id, later.website_id) = (name.organization_id, name.website_id) and later.pack > name.pack
    ) then content_read.counts_of_pack(packed.titles, packed.repetitive_titles, packed.letters) end
  from (
    select * from unnest(asked)
    union
    -- What was the last one until now.
    select previous.* from unnest(asked) as name cross join lateral (
      select organization_id, website_id, case when titles_with is null then pack end as pack from content_read.pack_counts as counts
      where (counts.organization_id, counts.website_id) = (name.organization_id, name.website_id) and counts.pack < name.pack
      order by counts.pack desc limit 1
    ) as previous where previous.pack is not null
  ) as name cross join lateral (
    select * from content_read.title_packs as stored
    where (stored.organization_id, stored.website_id, stored.pack) = (name.organization_id, name.website_id, name.pack) offset 0
  ) as packed
  on conflict (organization_id, website_id, pack) do update set blogs = excluded.blogs, titles_with = excluded.titles_with;
end
$$;

alter function content_read.pack_titles(content_read.pack_name[]) rename to put_titles_together;
create function content_read.pack_titles(asked content_read.pack_name[]) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform content_read.put_titles_together(asked);
  perform content_read.count_packs(asked);
end
$$;

create or replace function content_read.clear_titles() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from content_read.blog_entries;
  delete from content_read.title_packs;
  delete from content_read.pack_counts;
  return null;
end
$$;

-- Whoever writes waits until what is there is entered: what is written meanwhile would be missing.
lock table content_read.blogs in share row exclusive mode;
insert into content_read.pack_counts (organization_id, website_id, pack, blogs, titles_with)
select organization_id, website_id, pack, blogs,
  case when pack < max(pack) over (partition by organization_id, website_id)
    then content_read.counts_of_pack(titles, repetitive_titles, letters) end
from content_read.title_packs;
