import knex, { type Knex } from 'knex';

/** Knex would write to the terminal by itself; whatever it has to say also comes as an error. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };

/** The dashboard's database: no request waits for it, so it is given time. */
export function openDashboardDatabase(url: string): Knex {
  return knex({
    client: 'pg',
    log: NO_LOG,
    connection: {
      connectionString: url,
      application_name: 'blog-read-api',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    },
    pool: { min: 0, max: 4 },
    acquireConnectionTimeout: 10_000,
  });
}
