/** For each collection, more rows than the check of a mapping considers few, with all rows that a mapping joins to them. */
export const MANY_ROWS = `
  insert into websites (id, name, organization) select gen_random_uuid(), n, 'many' from generate_series(1, 1500) n;
  insert into categories (id, name, slug, website)
    select gen_random_uuid(), n, n, (select id from websites where name = n::text) from generate_series(1, 1500) n;
  insert into directus_files (id, storage, filename_download) select gen_random_uuid(), 'local', n from generate_series(1, 1500) n;
  insert into posts (id, status, title, slug, date_created, tags, website, cover)
    select gen_random_uuid(), 'published', n, n, now(), json_build_array('tag ' || n), (select id from websites where name = n::text),
      (select id from directus_files where filename_download = n::text) from generate_series(1, 1500) n;
  insert into posts_categories (posts_id, categories_id)
    select posts.id, categories.id from posts join categories on categories.slug = posts.slug;
  analyze`;
