-- As in 0019, where the last pack of a website was looked up for each blog with a longer title.
create or replace function content_read.enter_titles() returns trigger language plpgsql
-- A table that has grown has no statistics yet.
set enable_seqscan = off set enable_indexscan = on
set search_path = pg_catalog, pg_temp as $$
declare
  found_by constant text := 'organization_id, id, website_id, published_at, category_slugs, tag_slugs, folded_title';
  gone constant text := format(
    case tg_op when 'DELETE' then 'select %s from removed' else 'select %1$s from removed except select %1$s from added' end, found_by);
  come constant text := format(
    case tg_op when 'DELETE' then 'select %s from content_read.blogs where false'
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
    ), open as materialized (
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
