-- Counts a stretch of each of several organizations (see 0013), in their order, up to the first that is not over.
create function content_read.recount_several(asked text[], most integer)
returns table (organization text, wrong bigint, is_over boolean) language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  -- The first one takes the lock, and reads its own rows before that. Those of the others have to come from the disk before it, too.
  perform count(following.category_slugs) from unnest(asked[2:]) as other (id) cross join lateral (
    select category_slugs from content_read.blogs where organization_id = other.id order by blogs.id limit most) as following;
  foreach organization in array asked loop
    select counted.wrong, counted.is_over into wrong, is_over from content_read.recount(organization, most) as counted;
    return next;
    exit when not is_over;
  end loop;
end
$$;
