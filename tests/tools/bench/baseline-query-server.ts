import { createServer } from 'node:http';
import Koa from 'koa';
import { PostgresBlogReader } from '../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { openDatabase } from '../../../src/adapters/sql/postgres/open-database.js';

const ANY_SEARCH = 'any search';

/** The baseline of a MISS: the product's own statement, sent by Knex without further work, and its rows unchanged. */
const { READ_DATABASE_URL = '', ORGANIZATION_ID = '', PORT, HOST } = process.env;
const database = openDatabase(READ_DATABASE_URL, {
  name: 'baseline',
  connections: [0, 10],
  connectTimeoutMs: 5_000,
  acquireTimeoutMs: 5_000,
  mayWrite: false,
});
const { sql, bindings } = await statementOfSearch();

const application = new Koa().use(async (context) => {
  const search = `%${context.query.search}%`;
  const values = bindings.map((value) => (value === `%${ANY_SEARCH}%` ? search : value));
  context.body = (await database.raw(sql, values)).rows;
});
createServer(application.callback()).listen(Number(PORT), HOST);
process.on('SIGTERM', () => process.exit());

async function statementOfSearch(): Promise<{ sql: string; bindings: string[] }> {
  const statement = new Promise<{ sql: string; bindings: string[] }>((resolve) => {
    database.once('query', resolve);
  });
  const criteria = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: ANY_SEARCH };
  await new PostgresBlogReader(database).list(ORGANIZATION_ID, criteria, {
    offset: 0,
    limit: 20,
  });
  const { sql: numbered, bindings: given } = await statement;
  return { sql: numbered.replace(/\$\d+/g, '?'), bindings: given };
}
