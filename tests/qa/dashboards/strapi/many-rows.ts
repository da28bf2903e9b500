/** For each type, more rows than the check of a mapping considers few, with all rows that a mapping joins to them. */
export const MANY_ROWS = `
  insert into websites (document_id, name, published_at) select 'site' || n, n, now() from generate_series(1, 1500) n;
  insert into tags (document_id, name, slug, published_at) select 'tag' || n, n, n, now() from generate_series(1, 1500) n;
  insert into categories (document_id, name, slug, published_at) select 'category' || n, n, n, now() from generate_series(1, 1500) n;
  insert into files (document_id, url) select 'file' || n, n from generate_series(1, 1500) n;
  insert into articles (document_id, title, slug, published_at)
    select 'article' || n, n, n, date from generate_series(1, 1500) n, (values (null), (now())) as dates (date);
  insert into components_shared_seos (meta_title) select 'article' || n from generate_series(1, 1500) n;
  insert into tags_website_lnk (tag_id, website_id)
    select tags.id, websites.id from tags join websites on websites.name = tags.name;
  insert into categories_website_lnk (category_id, website_id)
    select categories.id, websites.id from categories join websites on websites.name = categories.name;
  insert into categories_parent_lnk (category_id, inv_category_id)
    select child.id, parent.id from categories child join categories parent on parent.name = child.name
    where child.document_id like 'category%';
  insert into articles_website_lnk (article_id, website_id)
    select articles.id, websites.id from articles join websites on websites.name = articles.title;
  insert into articles_tags_lnk (article_id, tag_id)
    select articles.id, tags.id from articles join tags on tags.name = articles.title;
  insert into articles_categories_lnk (article_id, category_id)
    select articles.id, categories.id from articles join categories on categories.name = articles.title;
  insert into articles_cmps (entity_id, cmp_id, component_type, field)
    select articles.id, seo.id, 'shared.seo', 'seo' from articles join components_shared_seos seo on seo.meta_title = document_id;
  insert into files_related_mph (file_id, related_id, related_type, field)
    select files.id, articles.id, 'api::article.article', 'cover' from articles join files on url = title;
  analyze`;
