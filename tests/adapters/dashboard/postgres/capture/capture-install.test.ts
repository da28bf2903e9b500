import { expect } from 'chai';
import { dashboardOf } from '../../../../../src/composition/dashboard-of.js';
import { migrate } from '../../../../../src/programs/migrate/migrate.js';
import { changesOf, waitingChanges } from '../../../../support/dashboards/captured-changes.js';
import { DASHBOARD_TABLES, DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';
import { createTestDatabase } from '../../../../support/postgres/test-postgres.js';

/** Everything that a migration could leave in a database, except the objects of extensions. */
const OBJECTS = `
  select 'schema ' || nspname as object from pg_namespace where nspname !~ '^pg_'
  union all select 'relation ' || oid::regclass from pg_class where relnamespace::regnamespace::text !~ '^pg_'
  union all select 'function ' || oid::regprocedure from pg_proc where pronamespace::regnamespace::text !~ '^pg_'
  union all select 'trigger ' || tgname || ' on ' || tgrelid::regclass from pg_trigger where not tgisinternal
  union all select 'extension ' || extname from pg_extension`;

const TRIGGERS = `select tgenabled, pg_get_triggerdef(oid) as definition from pg_trigger where not tgisinternal`;

/** What another session may have done to the triggers, and how many triggers are affected. */
const DAMAGE: Readonly<Record<string, readonly [sql: string, triggers: number]>> = {
  dropped: ['drop trigger content_sync_delete on blogs', 1],
  disabled: ['alter table api_keys disable trigger content_sync_update', 1],
  'disabled and enabled again, with all others, by a restore': [
    'alter table tags disable trigger all; alter table tags enable trigger all',
    4,
  ],
  'replaced by one that does nothing': [
    `create or replace trigger content_sync_insert after insert on websites
     for each statement execute function suppress_redundant_updates_trigger()`,
    1,
  ],
  'replaced by one that skips changes': [
    `create or replace trigger content_sync_update after update on blogs
     referencing old table as removed new table as added
     for each statement when (current_user = 'nobody') execute function content_sync."capture blogs"();
     alter table blogs enable always trigger content_sync_update`,
    1,
  ],
  'replaced by one that queues something else': [
    `create or replace trigger content_sync_insert after insert on blog_tags referencing new table as added
     for each statement execute function content_sync."capture tags"();
     alter table blog_tags enable always trigger content_sync_insert`,
    1,
  ],
  'lost with their table, which was created again': [
    `drop table blog_tags;
     create table blog_tags (
       blog_id text references blogs on delete cascade, tag_id text references tags on delete cascade, primary key (blog_id, tag_id)
     );
     create index blog_tags_by_tag on blog_tags (tag_id)`,
    4,
  ],
};

describe('npm run migrate', () => {
  let dashboard: DashboardUnderTest;
  let readDatabaseUrl: string;
  let untouched: readonly string[];
  let printed: string[];

  const run = async () => {
    printed = [];
    await migrate({ readDatabaseUrl, writeDatabaseUrl: dashboard.url }, (text) => printed.push(text));
  };
  const remove = async () => {
    printed = [];
    await dashboardOf({ writeDatabaseUrl: dashboard.url }).removeCapture((text) => printed.push(text));
  };
  const objects = () => dashboard.dump(`(${OBJECTS})`);

  before(async () => {
    readDatabaseUrl = await createTestDatabase();
    dashboard = await DashboardUnderTest.start();
    untouched = await objects();
  });
  after(() => dashboard?.stop());

  beforeEach(async () => {
    await run();
    await dashboard.empty();
    await dashboard.putOwners();
  });

  it('creates four triggers on every table of the dashboard, enabled always', async () => {
    const { rows } = await dashboard.database.raw(`
      select relname as table, array_agg(distinct tgenabled::text) as enabled, count(*)::int as triggers
      from pg_trigger join pg_class on pg_class.oid = tgrelid
      where tgfoid = to_regprocedure(format('content_sync."capture %s"()', relname)) group by relname order by relname`);

    expect(rows).to.eql(DASHBOARD_TABLES.toSorted().map((table) => ({ table, enabled: ['A'], triggers: 4 })));
  });

  it('changes nothing the second time, and waits for no writer', async () => {
    await dashboard.database.raw('delete from content_sync.change_queue');
    const before = await objects();
    const writer = await dashboard.database.transaction();
    for (const table of DASHBOARD_TABLES) await writer.raw(`lock table ${table} in row exclusive mode`);
    await writer.raw('lock table content_sync.change_queue in row exclusive mode');
    await run();
    await writer.rollback();

    expect(printed).to.eql(['Read tables: up to date.', 'Change capture: up to date.']);
    expect(await objects()).to.eql(before);
    expect(await waitingChanges(dashboard.database)).to.eql([]);
  });

  it('succeeds when two run at once', async () => {
    await remove();
    await Promise.all([run(), run()]);

    expect(await changesOf(dashboard.database, () => dashboard.empty())).to.eql(['api_keys', 'everything']);
  });

  for (const [what, [sql, triggers]] of Object.entries(DAMAGE)) {
    it(`repairs triggers that were ${what}, and causes a rebuild`, async () => {
      const before = await dashboard.dump(`(${TRIGGERS})`);
      await dashboard.database.raw(sql);

      expect(await changesOf(dashboard.database, run)).to.eql(['everything']);
      expect(printed).to.eql([
        'Read tables: up to date.',
        `Change capture: installed ${triggers} ${triggers === 1 ? 'trigger' : 'triggers'}; everything is read again.`,
      ]);
      expect(await dashboard.dump(`(${TRIGGERS})`)).to.eql(before);
      expect(await changesOf(dashboard.database, run)).to.eql([]);
    });
  }

  it('--remove-capture leaves the database as it was, and does not affect writers', async () => {
    await remove();

    expect(printed).to.eql(['Change capture: removed.']);
    expect(await objects()).to.eql(untouched);
    await dashboard.putBlog({ id: 'one' });
    await dashboard.database.raw(
      `update blogs set title = 'New'; delete from organizations; truncate tags cascade`,
    );
  });

  it('--remove-capture does nothing if there is no change capture', async () => {
    await remove();
    await remove();

    expect(await objects()).to.eql(untouched);
  });

  it('installs the change capture again after --remove-capture, and causes a rebuild', async () => {
    await remove();
    await run();

    expect(printed.slice(-2)).to.eql([
      'Change capture: applied 0001_change_capture.sql.',
      'Change capture: installed 32 triggers; everything is read again.',
    ]);
    expect(await waitingChanges(dashboard.database)).to.eql(['everything']);
    expect(await changesOf(dashboard.database, () => dashboard.putBlog({ id: 'one' }))).to.eql(['blogs one']);
  });
});
