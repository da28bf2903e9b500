-- As in 0025, and pg_trgm detects three letters that occur twice in titles with digits and other characters together, too: these characters become letters or
-- digits that the title lacks. In the titles left, which have more of them than there are such letters, it still takes three times as long.
do $do$
declare
  -- Whoever made the extension chose where.
  trigrams constant text := (
    select format('%I.show_trgm', nspname) from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm');
begin
  -- Without a query in it, it becomes a part of the query that calls it.
  execute format($create$
    create or replace function content_read.repeats_itself(title text) returns boolean language sql stable as $$
      select case
        when length($1) not between 4 and 500 then length($1) > 500
        when $1 !~ '[^a-z ,.:''!?&"-]'
          then cardinality(%1$s(translate($1, ' ,.:-''!?&"', '0123456789'))) <= length($1)
        when $1 !~ '[^a-pr-z0-9 ]'
          then cardinality(%1$s(replace($1, ' ', 'q'))) <= length($1)
        when length(regexp_replace($1, '[a-z0-9 ]+', '', 'g')) < length(translate('qzxjkvwy0123456789', $1, ''))
          then cardinality(%1$s(translate($1, ' ' || regexp_replace($1, '[a-z0-9 ]+', '', 'g'),
            translate('qzxjkvwy0123456789', $1, '')))) <= length($1)
        else content_read.has_three_letters_twice($1)
      end
    $$
  $create$, trigrams);
end
$do$;
