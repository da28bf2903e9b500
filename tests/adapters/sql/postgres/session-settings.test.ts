import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { PostgresApiKeyDirectory } from '../../../../src/adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { openReadDatabase } from '../../../../src/adapters/postgres/read/read-database.js';
import { connectWorker } from '../../../../src/adapters/sql/postgres/connect-worker.js';
import {
  openConnection,
  openDashboardDatabase,
} from '../../../../src/adapters/sql/postgres/open-database.js';
import { hostileSettings, makeHostile } from '../../../support/postgres/hostile-settings.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { TestRole } from '../../../support/postgres/test-role.js';
import { insertBlogs } from '../../postgres/insert-blogs.js';

/** The settings of every session, however the server is configured. */
const EXPECTED: Readonly<Record<string, string>> = {
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  search_path: 'public',
  row_security: 'on',
  gin_fuzzy_search_limit: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '1min',
  idle_session_timeout: '0',
  jit: 'off',
  synchronous_commit: 'on',
  session_replication_role: 'origin',
};
/** A reader commits nothing and fires no triggers. */
const OF_READERS = { statement_timeout: '1s', synchronous_commit: null, session_replication_role: null };
const OF_WORKERS = {
  statement_timeout: '8s',
  lock_timeout: '1s',
  row_security: 'off',
  idle_in_transaction_session_timeout: '15s',
};
/** Only a superuser may set them. */
const OF_SUPERUSERS = ['session_replication_role'];

describe('A session', () => {
  let url: string;
  let roleUrl: string;
  let owner: Knex;
  let role: TestRole;

  before(async () => {
    url = await createReadTables();
    owner = openDashboardDatabase(url);
    role = await TestRole.create(owner);
    roleUrl = role.urlOf(url);
    await owner.raw(`grant usage on schema content_read to ${role.name};
      grant select on all tables in schema content_read to ${role.name}`);
    await owner.raw(`
      insert into content_read.organizations values ('org', 7);
      insert into content_read.api_keys (organization_id, id, hash, expires_at, revoked_at) values
        ('org', 'revoked', 'revoked', null, '2026-02-03 04:05:06.789Z'), ('org', 'expired', 'expired', '1969-12-31 23:59:59.999Z', null),
        ('org', 'never', 'never', 'infinity', null), ('org', 'valid', 'valid', null, null);
    `);
    await insertBlogs(
      owner,
      `select 'blog_' || n, 'org', 'web', '2026-11-12 13:14:15.123Z'::timestamptz + n * interval '1 millisecond', '{}'::text[], 'title'
       from generate_series(1, 3) as n`,
    );
    await makeHostile(
      owner,
      role.name,
      hostileSettings().filter((setting) => !OF_SUPERUSERS.includes(setting)),
    );
    await makeHostile(owner);
  });
  after(async () => {
    await role?.drop();
    await owner?.destroy();
  });

  const CURRENT_SETTINGS = `select name, current_setting(name) as value from unnest(:names::text[]) as name`;

  /** The values of all tested settings. */
  async function settingsOf(database: Knex): Promise<Record<string, string>> {
    const { rows }: { rows: { name: string; value: string }[] } = await database.raw(CURRENT_SETTINGS, {
      names: Object.keys(EXPECTED),
    });
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }
  function expectPinned(found: Record<string, string>, special: Record<string, string | null>): void {
    const expected = Object.entries({ ...EXPECTED, ...special }).filter(([, value]) => value !== null);
    expect(found).to.include(Object.fromEntries(expected));
  }

  it('is tested with each setting that is made hostile', () => {
    expect(Object.keys(EXPECTED)).to.have.members(hostileSettings());
  });

  for (const whose of ['a database', 'a role'] as const) {
    const urlFor = () => (whose === 'a database' ? url : roleUrl);
    // If a superuser has set `session_replication_role`, an ordinary role may not write: see below.
    if (whose === 'a role')
      before(() => owner.raw(`alter role ${role.name} set session_replication_role = 'origin'`));

    it(`of the API depends on no setting of ${whose}`, async () => {
      const database = openReadDatabase(urlFor());
      try {
        expectPinned(await settingsOf(database), OF_READERS);
      } finally {
        await database.destroy();
      }
    });

    it(`of the worker, of the doctor and of --status depends on no setting of ${whose}`, async () => {
      const connection = connectWorker(urlFor(), 'test');
      try {
        expectPinned(await settingsOf(connection.database), OF_WORKERS);
      } finally {
        await connection.close();
      }
    });

    it(`of the operator's commands depends on no setting of ${whose}`, async () => {
      const database = openDashboardDatabase(urlFor());
      const connection = await openConnection(urlFor(), 'test', 0);
      try {
        expectPinned(await settingsOf(database), {});
        const { rows } = await connection.query(CURRENT_SETTINGS.replace(':names', '$1'), [
          Object.keys(EXPECTED),
        ]);
        expectPinned(Object.fromEntries(rows.map(({ name, value }) => [name, value])), {});
      } finally {
        await Promise.all([database.destroy(), connection.end()]);
      }
    });
  }

  it('of the API sorts no whole list, and reads no whole table', async () => {
    const database = openReadDatabase(url);
    try {
      const names = ['enable_sort', 'enable_seqscan'];
      const { rows }: { rows: { value: string }[] } = await database.raw(CURRENT_SETTINGS, { names });
      expect(rows.map(({ value }) => value)).to.deep.equal(['off', 'off']);
    } finally {
      await database.destroy();
    }
  });

  it('of a writer fails and names the setting if its role may not fire triggers', async () => {
    await owner.raw(`alter role ${role.name} set session_replication_role = 'replica'`);
    const connection = connectWorker(roleUrl, 'test');
    try {
      const failure = await connection.database.raw('select 1').catch((error: unknown) => error);
      expect(String(failure)).to.contain('session_replication_role');
    } finally {
      await connection.close();
      await owner.raw(`alter role ${role.name} set session_replication_role = 'origin'`);
    }
  });

  it('keeps a setting with which a commit waits for more than it has to', async () => {
    await owner.raw(`alter role ${role.name} set synchronous_commit = 'remote_apply'`);
    const connection = connectWorker(roleUrl, 'test');
    try {
      expect(await settingsOf(connection.database)).to.include({ synchronous_commit: 'remote_apply' });
    } finally {
      await connection.close();
    }
  });

  describe('without settings of its own, as behind a pooler that shares connections,', () => {
    let unpinned: Knex;

    before(() => {
      unpinned = knex({ client: 'pg', connection: url, version: '14', pool: { min: 0, max: 1 } });
    });
    after(() => unpinned?.destroy());

    it('reads the times of keys', async () => {
      const directory = new PostgresApiKeyDirectory(unpinned);
      const found = async (hash: string) => (await directory.find(hash))?.key;
      expect(await found('revoked')).to.include({ revokedAt: Date.parse('2026-02-03T04:05:06.789Z') });
      expect(await found('expired')).to.include({ expiresAt: -1 });
      expect(await found('never')).to.include({ expiresAt: Number.POSITIVE_INFINITY });
      expect(await found('valid')).to.include({ expiresAt: null, revokedAt: null });
    });

    it('reads the times of blogs, and their order', async () => {
      const reader = new PostgresBlogReader(unpinned);
      const criteria = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };
      const { blogs } = await reader.list('org', criteria, { offset: 0, limit: 10 });
      const [newest] = blogs;
      expect(blogs.map(({ id }) => id)).to.eql(['blog_3', 'blog_2', 'blog_1']);
      expect(newest?.publishedAt).to.equal(Date.parse('2026-11-12T13:14:15.126Z'));
      expect((await reader.findById('org', 'blog_3'))?.publishedAt).to.equal(newest?.publishedAt);
    });
  });
});
