import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import {
  type Migrations,
  migrateDatabase,
} from '../../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { DASHBOARD_MIGRATIONS, READ_MIGRATIONS } from '../../../../src/composition/project-folders.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

/** What a killed run leaves behind. */
const HOLD_KNEX_LOCK = 'update history.steps_lock set is_locked = 1';

describe('migrateDatabase', () => {
  let url: string;
  let folder: string;
  let migrations: Migrations;

  const query = async (sql: string) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const putMigration = (name: string, sql: string) => writeFile(join(folder, name), sql);
  const migrate = () => migrateDatabase(url, migrations);

  beforeEach(async () => {
    url = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    migrations = { directory: pathToFileURL(`${folder}/`), schema: 'history', table: 'steps' };
    await putMigration('0001_one.sql', 'create table one (n int); insert into one values (1)');
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const [what, real] of Object.entries({
    'read tables': READ_MIGRATIONS,
    dashboard: DASHBOARD_MIGRATIONS,
  })) {
    it(`brings the ${what} up to date, and changes nothing the second time`, async () => {
      const files = (await readdir(real.directory)).filter((file) => file.endsWith('.sql')).sort();

      expect(await migrateDatabase(url, real)).to.eql(files);
      expect(await migrateDatabase(url, real)).to.eql([]);
    });
  }

  it('migrates both in one database at once', async () => {
    await Promise.all([READ_MIGRATIONS, DASHBOARD_MIGRATIONS].map((real) => migrateDatabase(url, real)));

    const tables = await query("select schemaname from pg_tables where tablename = 'blogs' order by 1");
    expect(tables).to.eql([{ schemaname: 'content_read' }, { schemaname: 'public' }]);
  });

  it('succeeds when four run at once, and one of them does the work', async () => {
    const taken = await Promise.all([migrate(), migrate(), migrate(), migrate()]);

    expect(taken.flat()).to.eql(['0001_one.sql']);
    expect(await query('select n from one')).to.eql([{ n: 1 }]);
  });

  it('applies new migrations in order', async () => {
    await migrate();
    await putMigration('0003_three.sql', 'alter table two rename to three');
    await putMigration('0002_two.sql', 'alter table one rename to two');
    await putMigration('notes.txt', 'no SQL');

    expect(await migrate()).to.eql(['0002_two.sql', '0003_three.sql']);
    expect(await query('select n from three')).to.eql([{ n: 1 }]);
  });

  it('is not blocked by the lock of a killed run, whether or not there is work to do', async () => {
    await migrate();
    await query(HOLD_KNEX_LOCK);
    expect(await migrate()).to.eql([]);

    await query(HOLD_KNEX_LOCK);
    await putMigration('0002_two.sql', 'create table two ()');
    expect(await migrate()).to.eql(['0002_two.sql']);
  });

  it('is not blocked by the lock of a killed run when four run at once', async () => {
    await migrate();
    await query(HOLD_KNEX_LOCK);
    await putMigration('0002_two.sql', 'create table two ()');

    expect((await Promise.all([migrate(), migrate(), migrate(), migrate()])).flat()).to.eql(['0002_two.sql']);
  });

  it('rolls back a migration that fails, and continues from there when it is corrected', async () => {
    await migrate();
    await putMigration('0002_two.sql', 'create table two (); create table two ()');
    const failure = await migrate().catch((error: unknown) => error);
    expect(failure).to.have.property('code', '42P07');
    expect(await query("select to_regclass('two') as two")).to.eql([{ two: null }]);

    await putMigration('0002_two.sql', 'create table two ()');
    expect(await migrate()).to.eql(['0002_two.sql']);
  });

  it('leaves question marks, colons and comments as they are', async () => {
    await putMigration(
      '0002_two.sql',
      `-- Is this a binding? Or :this, or ??
       create table two as select '{"a": 1}'::jsonb ? 'a' as has, 'what? :name ??'::text as said;`,
    );
    await migrate();

    expect(await query('select * from two')).to.eql([{ has: true, said: 'what? :name ??' }]);
  });

  it('leaves a question mark after a backslash as it is, as in a regular expression', async () => {
    await putMigration('0002_two.sql', "create table two as select 'why?' ~ '^why\\?$' as matches");
    await migrate();

    expect(await query('select * from two')).to.eql([{ matches: true }]);
  });

  it('refuses to continue if a migration that was applied is missing', async () => {
    await migrate();
    await rename(join(folder, '0001_one.sql'), join(folder, '0001_other.sql'));

    const failure = await migrate().catch((error: unknown) => error);
    expect(String(failure)).to.include('0001_one.sql');
  });

  describe('during a long transaction', () => {
    let long: pg.Client;

    const isWaitedFor = async () => {
      const [row] = await query(
        `select exists (select from pg_locks where not granted and relation = 'one'::regclass) as waits`,
      );
      return row.waits as boolean;
    };

    beforeEach(async () => {
      await migrate();
      await putMigration('0002_two.sql', 'create table two (); alter table one add column m int');
      long = new pg.Client(url);
      await long.connect();
      await long.query('begin; select n from one');
    });
    afterEach(() => long.end());

    it('lets other sessions go first, and gives up without any change', async () => {
      const failure = migrate().catch((error: unknown) => error);
      await eventually(async () => expect(await isWaitedFor()).to.equal(true));
      // A session that only reads waits for the migration, but not for the end of the long transaction.
      await query('select n from one');

      expect(await failure).to.have.property('code', '55P03');
      expect(await query("select to_regclass('two') as two")).to.eql([{ two: null }]);
    });
  });

  it('leaves no work in progress when it returns', async () => {
    await migrate();
    const others = await query(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state = 'active'",
    );

    expect(others).to.eql([]);
  });
});
