-- Whether three letters in a row stand at two places of a title took more of what it takes to enter it than anything else. pg_trgm tells it in a third of the time of
-- a word of ASCII, which a title becomes if what stands between its words is replaced by letters or digits that it does not have: a word of n letters has n + 1 trigrams, those
-- with its edges included, and fewer where one stands twice.

alter function content_read.repeats_itself(text) rename to has_three_letters_twice;

do $do$
declare
  -- Whoever made the extension chose where.
  trigrams constant text := (
    select format('%I.show_trgm', nspname) from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm');
begin
  -- Without a query in it, it becomes a part of the query that calls it.
  execute format($create$
    create function content_read.repeats_itself(title text) returns boolean language sql stable as $$
      select case
        when length($1) not between 4 and 500 then length($1) > 500
        when ltrim($1, 'etaoinsrhldcumfpgwybvkxjqz ,.:-''!?&"') = ''
          then cardinality(%1$s(translate($1, ' ,.:-''!?&"', '0123456789'))) <= length($1)
        when strpos($1, 'q') = 0 and ltrim($1, 'etaoinsrhldcumfpgwybvkxjz 0123456789') = ''
          then cardinality(%1$s(translate($1, ' ', 'q'))) <= length($1)
        else content_read.has_three_letters_twice($1)
      end
    $$
  $create$, trigrams);
end
$do$;
