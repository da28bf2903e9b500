import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { columnChanges } from '../../support/dashboards/changed-columns.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { type OpenedSession, openSession } from '../../support/sync/open-session.js';
import { syncSettings } from '../../support/sync/sync-settings.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into api_keys (id, organization_id, key_hash) values ('key', 'org', 'hash');
  insert into tags (id, website_id, name, slug) values ('red', 'web', 'Red', 'red'), ('sea', 'web', 'Sea', 'sea');
  insert into categories (id, website_id, name, slug) values ('one', 'web', 'One', 'one');
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || n, 'web', 'Title ' || n, 'blog-' || n, 'published', '2026-01-01' from generate_series(1, 5) as n;
  insert into blog_tags select id, 'red' from blogs;`;

const PARTITIONED = `
  create table kept as table blog_tags;
  drop table blog_tags;
  create table blog_tags (
    blog_id text references blogs on delete cascade, tag_id text references tags on delete cascade, primary key (blog_id, tag_id)
  ) partition by hash (blog_id);
  create table blog_tags_0 partition of blog_tags for values with (modulus 2, remainder 0);
  create table blog_tags_1 partition of blog_tags for values with (modulus 2, remainder 1);
  insert into blog_tags table kept; drop table kept;`;

interface Loss {
  /** What the administrator of the dashboard does, and a change that is not captured. */
  readonly sql: string;
  /** What is reported as broken. Null: the change capture is complete at the next check. */
  readonly broken: RegExp | null;
  /** Without it, `npm run migrate` repairs the change capture. */
  readonly repair?: string;
}

const LOSSES: Readonly<Record<string, Loss>> = {
  'a table is renamed and replaced': {
    sql: 'alter table blog_tags rename to old_blog_tags; create table blog_tags (like old_blog_tags including all)',
    broken: /^blog_tags.content_sync_delete is missing$/,
  },
  'triggers are disabled, and enabled in the default mode': {
    sql: `alter table tags disable trigger all; update tags set name = 'New'; alter table tags enable trigger all`,
    broken: /^tags.content_sync_update is not enabled for replication tools$/,
  },
  'a trigger is disabled': {
    sql: `alter table tags disable trigger content_sync_update; update tags set name = 'Newer'`,
    broken: /^tags.content_sync_update is disabled$/,
    repair: 'alter table tags enable always trigger content_sync_update',
  },
  'a trigger is disabled for a moment': {
    sql: `alter table tags disable trigger content_sync_update; update tags set name = 'Newest';
      alter table tags enable always trigger content_sync_update`,
    broken: null,
  },
  'a column is rewritten by ALTER … USING': {
    sql: 'alter table blogs alter column title type text using upper(title)',
    broken: null,
  },
  ...Object.fromEntries(
    Object.entries(columnChanges('tags', 'color', `text not null default '#000000'`)).map(([what, sql]) => [
      what,
      { sql: sql.join(';'), broken: null },
    ]),
  ),
  'the function of the triggers is replaced': {
    sql: `create or replace function content_sync."capture blogs"() returns trigger language plpgsql security definer as $$ begin return null; end $$;
      update blogs set title = 'Missed'`,
    broken: /^the function that captures blogs is not the function of this version and mapping$/,
  },
  'the function of the triggers is replaced for a moment': {
    sql: `do $do$ declare body text = (select prosrc from pg_proc where oid = 'content_sync."capture blogs"()'::regprocedure); begin
      create or replace function content_sync."capture blogs"() returns trigger language plpgsql security definer as $$ begin return null; end $$;
      update blogs set title = 'Missed, too';
      execute format('create or replace function content_sync."capture blogs"() returns trigger language plpgsql security definer
        set search_path = pg_catalog, pg_temp as %L', body);
    end $do$`,
    broken: null,
  },
  'a trigger is replaced by one that omits changes': {
    sql: `create or replace trigger content_sync_update after update on blogs referencing old table as removed new table as added
      for each statement when (current_user = 'nobody') execute function content_sync."capture tags"();
      alter table blogs enable always trigger content_sync_update; update blogs set title = 'Left out'`,
    broken: /^blogs.content_sync_update is not the trigger of this version$/,
  },
  'a child inherits from a table': {
    sql: `create table old_blogs () inherits (blogs);
      insert into old_blogs (id, website_id, title, slug, status, published_at) values ('old', 'web', 'Old', 'old', 'published', now())`,
    broken: /^old_blogs.content_sync_insert is missing$/,
  },
  'a child no longer inherits from a table': { sql: 'alter table old_blogs no inherit blogs', broken: null },
  'a table is replaced by a partitioned one': {
    sql: `${PARTITIONED} delete from blog_tags_0; delete from blog_tags_1 where blog_id = 'blog_1'`,
    broken: /^blog_tags_0.content_sync_delete is missing$/,
  },
  'a partition is detached': { sql: 'alter table blog_tags detach partition blog_tags_1', broken: null },
  'a partition is attached': {
    sql: 'alter table blog_tags attach partition blog_tags_1 for values with (modulus 2, remainder 1)',
    broken: null,
  },
  'a partition is created': {
    sql: `alter table blog_tags detach partition blog_tags_0; drop table blog_tags_0;
      create table blog_tags_2 partition of blog_tags for values with (modulus 2, remainder 0)`,
    broken: /^blog_tags_2.content_sync_insert is missing$/,
  },
  'a table is filled by a subscription': {
    // A refresh of the subscription inserts this row, but needs its publisher.
    sql: `create subscription from_elsewhere connection 'dbname=elsewhere' publication all_of_it with (connect = false, slot_name = none);
      insert into pg_subscription_rel (srsubid, srrelid, srsubstate)
      select oid, 'blog_categories'::regclass, 'r' from pg_subscription where subname = 'from_elsewhere'`,
    broken: /^blog_categories is filled by a subscription, /,
    repair: 'drop subscription from_elsewhere',
  },
  'a column becomes an enum': {
    sql: `alter table blogs drop constraint blogs_status_check, drop constraint blogs_published_has_date, alter column status drop default;
      create type state as enum ('draft', 'scheduled', 'published', 'archived');
      alter table blogs alter column status type state using status::state`,
    broken: null,
  },
  'a value of an enum is renamed': {
    sql: `alter type state rename value 'draft' to 'sketch'`,
    broken: null,
  },
};

const HARMLESS = [
  'vacuum full blogs',
  'cluster blogs using blogs_pkey',
  'analyze',
  'create index on blogs (title)',
  'create trigger other after update on blogs for each row execute function suppress_redundant_updates_trigger()',
  'alter table blogs disable trigger other',
  'truncate blog_categories',
  `alter table blogs add column notes text default 'none'`,
  'alter table blogs alter column notes type varchar(300) using upper(notes)',
  'alter table blogs alter column created_at set statistics 500',
  'alter table blogs drop column notes',
];

describe('The watch on the change capture', () => {
  let databases: SyncedDatabases;
  let session: OpenedSession;
  let log: RecordingLog;
  let epoch: number;

  const begin = async () => {
    log = new RecordingLog();
    session = openSession(databases, new MemoryMetrics(), log);
    epoch = (await session.ports.leadership.claim(null)) ?? 0;
  };
  const watch = async () => {
    await session.checkCapture(epoch);
    return (await databases.unfinishedJobs())
      .map(({ scope }) => scope)
      .filter((scope) => scope !== 'reconcile');
  };
  const brokenCapture = async () => (await session.dashboard.captureState()).broken;
  const settle = async () => {
    while (await session.worker.step(epoch));
  };
  const sql = (statements: string) => databases.dashboard.raw(statements);

  before(async () => {
    databases = await SyncedDatabases.create();
    await sql(CONTENT);
    await begin();
    await watch();
    await settle();
  });
  after(async () => {
    await session.close();
    await databases.close();
  });

  it('reports nothing while nothing has changed', async () => {
    expect(await brokenCapture()).to.eql([]);
    expect(await watch()).to.eql([]);
  });

  it('causes no rebuild because of statements that lose no change', async () => {
    for (const statement of HARMLESS) {
      await sql(statement);
      expect(await watch(), statement).to.eql([]);
    }
    await settle();
  });

  for (const [what, { sql: loss, broken, repair }] of Object.entries(LOSSES)) {
    it(`reports that ${what}, and causes a rebuild as soon as the change capture is complete`, async () => {
      await sql(loss);
      const reasons = await brokenCapture();
      if (broken === null) {
        expect(reasons).to.eql([]);
      } else {
        expect(reasons.filter((reason) => broken.test(reason))).to.have.lengthOf(1);
        expect(await watch()).to.include('apiKeys');
        expect(log.lines.filter(({ message }) => message.includes('is broken'))).to.have.length.above(0);
        if (repair === undefined) await migrate(databases, () => {});
        else await sql(repair);
      }
      expect(await watch()).to.include.members(['apiKeys', 'everything']);
      await settle();

      expect(await databases.present()).to.eql(await databases.expected());
      expect(await brokenCapture()).to.eql([]);
      expect(await watch()).to.eql([]);
    });
  }

  it('reads again at once what can be read, and reports triggers in the default mode until migrate repairs them', async () => {
    await sql(
      `alter table tags disable trigger all; update tags set name = 'Between'; alter table tags enable trigger all`,
    );
    expect(await watch()).to.eql(['apiKeys', 'everything']);
    await settle();
    expect(await databases.present()).to.eql(await databases.expected());
    expect(await watch()).to.eql(['apiKeys']);
    await settle();
    expect(await brokenCapture()).to.have.lengthOf(4);
    await migrate(databases, () => {});
    await watch();
    await settle();
    expect(await brokenCapture()).to.eql([]);
  });

  it('detects what happened while no worker ran', async () => {
    await session.close();
    await sql(`alter table tags disable trigger content_sync_update; update tags set name = 'Nobody looked';
      alter table tags enable always trigger content_sync_update`);
    await begin();

    expect(await watch()).to.eql(['apiKeys', 'everything']);
    await settle();
    expect(await databases.present()).to.eql(await databases.expected());
  });

  it('has the API keys read again while the change capture is broken, so that a revocation takes effect', async () => {
    await sql('alter table api_keys disable trigger content_sync_update');
    await watch();
    await settle();
    await sql('update api_keys set revoked_at = now()');
    await watch();
    await settle();

    expect(await databases.present()).to.eql(await databases.expected());
    await migrate(databases, () => {});
    await watch();
    await settle();
  });

  it('captures direct writes to partitions after the next migrate', async () => {
    await sql(`update blog_tags_2 set tag_id = 'sea'; insert into blog_tags_2 select id, 'red' from blogs
      where satisfies_hash_partition('blog_tags'::regclass, 2, 0, id)`);
    await settle();
    expect(await databases.present()).to.eql(await databases.expected());
    await sql('truncate blog_tags_1');
    await settle();
    expect(await databases.present()).to.eql(await databases.expected());
  });

  it('reports a foreign table, which cannot be captured', async () => {
    await sql(`create foreign data wrapper nothing; create server nowhere foreign data wrapper nothing;
      create foreign table far_tags () inherits (tags) server nowhere; alter table blogs disable trigger content_sync_insert`);
    expect(await brokenCapture()).to.eql([
      'blogs.content_sync_insert is disabled',
      'far_tags is a foreign table, whose changes cannot be captured',
    ]);
    await sql('drop foreign table far_tags');
    await migrate(databases, () => {});
    expect(await brokenCapture()).to.eql([]);
  });

  it('reports a broken change capture as degraded in /readyz, and in the metrics', async () => {
    const metrics = new PrometheusMetrics();
    const program = new SyncProgram(syncSettings(databases), metrics);
    const gauge = async () => /^blog_read_api_sync_capture_broken (\d+)$/m.exec(await metrics.text())?.[1];
    const check = program.checks().find(({ name }) => name === 'changeCapture');
    try {
      // A probe that is late fails, too.
      await eventually(async () => expect(await check?.run()).to.include({ outcome: 'ok' }));
      expect(await gauge()).to.equal('0');
      await sql('alter table tags disable trigger all');
      await eventually(async () => {
        const finding = await check?.run();
        expect(finding?.message).to.include('tags.content_sync_insert is disabled');
      });
      expect(await gauge()).to.equal('4');
    } finally {
      await program.stop();
    }
  });
});
