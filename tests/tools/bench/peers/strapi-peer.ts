import { fileURLToPath } from 'node:url';
import { Strapi } from '../../../qa/dashboards/strapi/strapi.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { processorTimeOfAll } from '../processor-time.js';
import { BLOGS_OF_EACH, ORGANIZATIONS } from '../read-stage.js';
import type { Peer } from './peer.js';

const CACHE = { '@strapi-community/plugin-rest-cache': '5.0.1' };
const FILES = fileURLToPath(new URL('strapi', import.meta.url));

const CONTENT = `
  insert into websites (id, document_id, name, created_at, updated_at, published_at)
  select n, 'website-' || n, 'Website ' || n, now(), now(), now() from generate_series(1, ${ORGANIZATIONS}) as n;
  insert into categories (id, document_id, name, slug, created_at, updated_at, published_at)
  select n, 'category-' || n, 'Category', 'category-' || n, now(), now(), now() from generate_series(1, ${ORGANIZATIONS}) as n;
  insert into articles (id, document_id, title, slug, excerpt, content, created_at, updated_at, published_at)
  select (w - 1) * ${BLOGS_OF_EACH} + n, 'article-' || w || '-' || n, 'Blog ' || n || ' ' || md5(w || ' ' || n), 'blog-' || n,
    'What blog ' || n || ' is about', '<p>' || repeat('Words. ', 840) || '</p>', now(), now(), now() - n * interval '1 minute'
  from generate_series(1, ${ORGANIZATIONS}) as w, generate_series(1, ${BLOGS_OF_EACH}) as n;
  insert into articles_website_lnk (article_id, website_id) select id, (id - 1) / ${BLOGS_OF_EACH} + 1 from articles;
  insert into articles_categories_lnk (article_id, category_id) select id, (id - 1) / ${BLOGS_OF_EACH} + 1 from articles;`;

const QUERY = `?${[
  ...['title', 'slug', 'excerpt', 'publishedAt'].map((field, n) => `fields[${n}]=${field}`),
  'populate[categories][fields][0]=name&populate[categories][fields][1]=slug',
  'populate[tags][fields][0]=name&populate[tags][fields][1]=slug',
  'filters[website][documentId][$eq]=website-1&sort=publishedAt:desc&pagination[pageSize]=20',
].join('&')}`;

/** Strapi 5 with the plugin that caches its answers in memory. */
export async function startStrapi(): Promise<Peer> {
  const url = await createTestDatabase();
  const strapi = await Strapi.start(url, { packages: CACHE, files: FILES });
  await runSql(url, CONTENT);
  const { id, accessKey } = await strapi.admin.createKey();
  return {
    address: strapi.address,
    lists: { 'no key checked': `/api/public-articles`, 'a key checked': `/api/articles${QUERY}` },
    header: 'Authorization',
    keys: [`Bearer ${accessKey}`],
    processorTime: () => processorTimeOfAll(strapi.pid),
    revokeKey: () => strapi.admin.revokeKey(id),
    stop: () => strapi.stop(),
  };
}
