-- Which read tables these are: what is in Redis lies under names that say so, and two installations share nothing there.
create table content_read.installation (
  id uuid not null default gen_random_uuid(),
  is_only_row boolean primary key default true check (is_only_row)
);
insert into content_read.installation default values;

-- A database restored from a dump of another has its id, too: it differs in the server, or in its number there. A standby that was
-- promoted is the same installation. Security definer, so that the answer does not depend on the rights of whoever asks:
-- all programs have to come to the same names.
create function content_read.installation_identity() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  server text := '';
begin
  begin
    select system_identifier::text into server from pg_control_system();
  exception when insufficient_privilege then
    -- Some hosts of databases take it away: id and number have to do.
  end;
  return (
    select left(md5(concat_ws(' ', id, server, (select oid from pg_database where datname = current_database()))), 16)
    from content_read.installation
  );
end
$$;
