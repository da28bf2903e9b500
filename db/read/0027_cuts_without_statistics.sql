-- As in 0026: where the table has no statistics, all blogs of a website or an organization were read by another index and sorted, to find where a block is cut, and to count a block. Where
-- nothing is sorted, the index is taken that has them in their order.
alter function content_read.tidy_block() set enable_sort = off;
alter function content_read.count_more_blogs(text, integer) set enable_sort = off;
alter function content_read.count_more_blocks(text, integer) set enable_sort = off;
alter function content_read.blogs_between(text, text, timestamptz, text, timestamptz, text, bigint) set enable_sort = off;

-- As in 0013, and blogs are not read before lists and blocks are compared, which begin with none of them.
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
      and id >= coalesce((select id from content_read.shelf_counting where organization_id = asked), '')
      and not exists (select from content_read.shelf_counting where organization_id = asked and phase <> 'blogs')
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
