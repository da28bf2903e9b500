import { expect } from 'chai';
import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import type { LastWritten } from '../../../src/programs/sync/known-databases.js';
import { catchUp } from '../../../src/programs/sync/sync-once.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { openSession } from '../../support/sync/open-session.js';
import { syncSettings } from '../../support/sync/sync-settings.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Org');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
  insert into api_keys (id, organization_id, key_hash) values ('key', 'org', 'hash');
  insert into blogs (id, website_id, title, slug, status, published_at)
    values ('blog', 'web', 'Title', 'blog', 'published', now())`;

const SEQUENCES = `select setval('content_read.sync_jobs_id_seq', (select max(id) from content_read.sync_jobs))`;

/** tests/qa/failover/databases.test.ts uses standbys. There the rebuild and the check repair so few rows at once, too. */
describe('After a failover', () => {
  let databases: SyncedDatabases;

  beforeEach(async () => {
    databases = await SyncedDatabases.create();
    await databases.dashboard.raw(CONTENT);
    await sync();
    await keepCopy();
    await databases.dashboard.raw('update api_keys set revoked_at = now()');
    await sync();
    expect(await isRevoked()).to.equal(true);
  });
  afterEach(() => databases?.close());

  const sync = () => catchUp(syncSettings(databases));
  const isRevoked = async () =>
    (await databases.readTables('content_read.api_keys').first()).revoked_at !== null;
  const tables = async () => {
    const { rows } = await databases.readTables.raw(
      `select tablename as name from pg_tables where schemaname = 'content_read'`,
    );
    return (rows as { name: string }[]).map(({ name }) => name);
  };
  const inEachTable = async (statement: (name: string) => string) =>
    databases.readTables.raw((await tables()).map(statement).join(';'));
  /** A dump of the read tables, before the key was revoked. */
  async function keepCopy(): Promise<void> {
    await databases.readTables.raw('create schema kept');
    await inEachTable((name) => `create table kept.${name} as table content_read.${name}`);
  }
  const load = (name: string) =>
    `insert into content_read.${name} overriding system value table kept.${name}`;
  /** What `pg_restore` does with these options. */
  const restores = {
    '--clean': async () => {
      await databases.readTables.raw('drop schema content_read, content_read_migrations cascade');
      await migrateDatabase(databases.readDatabaseUrl, READ_MIGRATIONS);
      await restores['--data-only']();
    },
    '--data-only': async () => {
      await inEachTable((name) => `delete from content_read.${name}; ${load(name)}`);
      await databases.readTables.raw(SEQUENCES);
    },
    '--clean --table api_keys': () =>
      databases.readTables.raw(`
        create table content_read.restored (like content_read.api_keys including all);
        drop table content_read.api_keys;
        alter table content_read.restored rename to api_keys;
        ${load('api_keys')}`),
  };
  /** Makes the next leader see a different timeline from the previous one. */
  const failOver = (which: 'dashboard' | 'readTables') =>
    databases.readTables('content_read.known_databases').where({ name: which }).update({ timeline: 0 });
  const loseRevocation = () => databases.readTables('content_read.api_keys').update({ revoked_at: null });

  /** Runs the next worker that leads. */
  async function take(steps: number, lastWritten?: LastWritten): Promise<void> {
    const session = openSession(databases, new MemoryMetrics(), new RecordingLog(), lastWritten);
    try {
      const epoch = Number(await session.ports.leadership.claim(null));
      await session.recognize(epoch);
      for (let step = 0; step < steps; step++) await session.worker.step(epoch);
    } finally {
      await session.close();
    }
  }

  it('a lost revocation is read again even if the address leads back to the former primary', async () => {
    await loseRevocation();
    const { rows } = await databases.readTables.raw(`
      select system_identifier as "systemIdentifier", database_oid::text as "databaseOid"
      from content_read.known_databases where name = 'readTables'`);

    await take(3, { identity: { ...rows[0], timeline: 7 } });

    expect(await isRevoked()).to.equal(true);
  });

  for (const [options, restore] of Object.entries(restores)) {
    it(`everything is read again if the read tables were restored into their database (${options})`, async () => {
      await databases.dashboard.raw(`update blogs set title = 'After the dump'`);
      await sync();
      await restore();
      expect(await isRevoked()).to.equal(false);

      await sync();

      expect(await isRevoked()).to.equal(true);
      expect(await databases.present()).to.eql(await databases.expected());
      const { rows } = await databases.readTables.raw('select generation from content_read.organizations');
      await sync();
      expect(
        (await databases.readTables.raw('select generation from content_read.organizations')).rows,
      ).to.eql(rows);
    });

    it(`the same is noticed by a worker that leads meanwhile (${options})`, async () => {
      const session = openSession(databases, new MemoryMetrics(), new RecordingLog());
      try {
        const epoch = Number(await session.ports.leadership.claim(null));
        await session.recognize(epoch);
        await restore();
        // As in a dump that was made while this worker led.
        await databases.readTables.raw(
          `update content_read.sync_leader set epoch = ${epoch}, backend_pid = (select pid from pg_locks where locktype = 'advisory' and granted
             and database = (select oid from pg_database where datname = current_database()))`,
        );
        await session.recognize(epoch);
        for (let step = 0; step < 3; step++) await session.worker.step(epoch);
      } finally {
        await session.close();
      }
      expect(await isRevoked()).to.equal(true);
    });
  }

  it('the keys are read again before an older rebuild continues', async () => {
    await databases.readTables('content_read.sync_jobs').insert({
      scope: 'everything',
      progress: { stage: 6, after: null, done: 0, total: null },
    });
    await loseRevocation();
    await failOver('readTables');

    await take(3);

    expect(await isRevoked()).to.equal(true);
  });

  it('a website that was hidden because of a lost move is shown again', async () => {
    await databases.readTables('content_read.hidden_websites').insert({
      organization_id: 'org',
      website_id: 'web',
    });
    await failOver('dashboard');

    await sync();

    expect(await databases.readTables('content_read.hidden_websites')).to.eql([]);
  });

  describe('with many organizations', () => {
    const ORGANIZATIONS = 20_000;
    const generations = async () => {
      const rows: { organization_id: string; generation: string }[] = await databases.readTables(
        'content_read.organizations',
      );
      return new Map(rows.map((row) => [row.organization_id, Number(row.generation)]));
    };
    const raisedSince = async (before: ReadonlyMap<string, number>) =>
      [...(await generations())].filter(([id, generation]) => generation > (before.get(id) ?? 0)).length;

    // One statement raises them all, as if in the same microsecond.
    beforeEach(() =>
      databases.readTables.raw(`
        insert into content_read.organizations (organization_id, generation)
        select 'org ' || n, 1 from generate_series(2, ${ORGANIZATIONS}) as n`),
    );

    it('all generations are raised before the first step', async () => {
      await failOver('readTables');
      const before = await generations();
      await take(0);
      expect(await raisedSince(before)).to.equal(ORGANIZATIONS);
    });

    it('no generation is raised if only the dashboard failed over, because the read tables have lost none', async () => {
      await failOver('dashboard');
      const before = await generations();
      await take(1);
      expect(await raisedSince(before)).to.equal(0);
      const jobs = databases.readTables('content_read.sync_jobs').whereNull('finished_at');
      expect(await jobs.pluck('scope')).to.have.members(['apiKeys', 'everything', 'reconcile']);
    });
  });
});
