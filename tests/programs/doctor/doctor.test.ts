import { expect } from 'chai';
import pg from 'pg';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { Examined } from '../../../src/domain/model/finding.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { complaints, findings } from '../../support/programs/doctor-findings.js';
import { syncSettings } from '../../support/sync/sync-settings.js';
import { GrantedRoles } from '../granted-roles.js';

const NO_REDIS =
  'warning redis.notSet: REDIS_URL is not set: each process has its own limit and cache, unless an extension has them';

describe('npm run doctor, for the databases,', () => {
  let granted: GrantedRoles;

  before(async () => {
    granted = await GrantedRoles.create(1);
  });
  after(() => granted?.drop());

  const asApi = () => ({
    readDatabaseUrl: granted.api.urlOf(granted.dashboard.readDatabaseUrl),
    writeDatabaseUrl: null,
    redisUrls: null,
    redisCacheUrls: null,
  });
  const asWorker = () => ({
    ...asApi(),
    readDatabaseUrl: granted.sync.urlOf(granted.dashboard.readDatabaseUrl),
    writeDatabaseUrl: granted.sync.urlOf(granted.dashboard.writeDatabaseUrl),
  });
  const complaintsOfApi = () => complaints(asApi());
  const complaintsOfWorker = () => complaints(asWorker());

  /** Looks while something is wrong, and then repairs it. */
  async function during<Result>(
    wrong: PromiseLike<unknown>,
    look: () => Promise<Result>,
    repair: () => PromiseLike<unknown>,
  ): Promise<Result> {
    await wrong;
    try {
      return await look();
    } finally {
      await repair();
    }
  }

  it('finds no problem as the API', async () => {
    expect(await complaintsOfApi()).to.eql([NO_REDIS]);
  });

  it('reports missing migrations', async () => {
    const name = '0001_read_tables.sql';
    const list = () => granted.readOwner('content_read_migrations.read_tables');
    const [row] = await list().where({ name });
    const found = await during(list().where({ name }).delete(), complaintsOfApi, () => list().insert(row));
    expect(found).to.eql([`failure migrations.missing: missing: ${name}`, NO_REDIS]);
  });

  it('names an index and an extension that are gone, as does migrate, which makes them again', async () => {
    const { readDatabaseUrl } = granted.dashboard;
    await granted.readOwner.raw('drop extension pg_trgm cascade; drop index content_read.blogs_by_slug');
    const gone = 'indexes or extensions that are gone: pg_trgm, blogs_by_slug, titles_by_filter';
    const found = [await complaintsOfApi(), await complaintsOfWorker()].map(([first]) => first);
    const printed: string[] = [];
    for (let run = 0; run < 2; run++)
      await migrate({ readDatabaseUrl, writeDatabaseUrl: null }, (text) => printed.push(text));
    expect(found).to.eql(Array(2).fill(`warning migrations.gone: ${gone}`));
    expect(printed).to.eql([
      'Read tables: applied pg_trgm again, blogs_by_slug again, titles_by_filter again.',
      'Read tables: up to date.',
    ]);
    expect(await complaintsOfApi()).to.eql([NO_REDIS]);
  });

  it('reports a read table that is missing in the words of the server, and what to do beyond a migration', async () => {
    const rename = (from: string, to: string) => () =>
      granted.readOwner.raw(`alter table content_read.${from} rename to ${to}`);
    const without = (table: string, look: () => Promise<readonly Examined[]>) =>
      during(rename(table, 'hidden')(), look, rename('hidden', table));
    const ofApi = await without('blogs', () => findings(asApi()));
    const ofWorker = await without('sync_jobs', () => findings(asWorker()));
    const [tables] = ofApi.filter(({ check }) => check === 'readDatabase');
    const [rights, jobs, lag] = ofWorker.filter(({ check }) => ['rights', 'jobs', 'syncLag'].includes(check));
    expect(tables?.message).to.equal('42P01: relation "content_read.blogs" does not exist');
    expect(rights?.message).to.equal('sync_jobs does not exist');
    expect(jobs?.message).to.equal('42P01: relation "content_read.sync_jobs" does not exist');
    expect(lag?.message).to.equal('not checked: see `jobs`');
    for (const finding of [tables, rights, jobs]) {
      expect(finding?.advice).to.match(
        /^run `npm run migrate -- --with-grants`; if a table is still missing, restore it$/,
      );
    }
  });

  it('reports that its role may not read the migrations, and continues', async () => {
    const run = (verb: string, name: string) =>
      granted.readOwner.raw(`${verb} usage on schema content_read_migrations ${name} ${granted.api.name}`);
    const found = await during(run('revoke', 'from'), complaintsOfApi, () => run('grant', 'to'));
    expect(found).to.have.length(2);
    expect(found[0]).to.match(
      /^failure migrations.unread: .*permission denied for schema content_read_migrations$/,
    );
  });

  it('reports the rights that its role lacks, but none that only the worker needs', async () => {
    const run = (verb: string, tables: string, name: string) =>
      granted.readOwner.raw(`${verb} select on ${tables} ${name} ${granted.api.name}, ${granted.sync.name}`);
    const tables = 'content_read.installation, content_read.webhook_deliveries';
    const look = async () => [...(await complaintsOfApi()), ...(await complaintsOfWorker())].join('\n');
    const found = await during(run('revoke', tables, 'from'), look, () => run('grant', tables, 'to'));
    const lacking = 'rights.missing: no right to select on installation';
    const ofWorker = `${lacking}; no right to select on webhook_deliveries`;
    expect(found.match(/rights.*/g)).to.eql([lacking, ofWorker]);
    const several = (verb: string, name: string) =>
      granted.readOwner.raw(`${verb} delete, select, insert on content_read.known_databases, content_read.sync_jobs
        ${name} ${granted.sync.name}`);
    const [inOrder] = await during(several('revoke', 'from'), complaintsOfWorker, () =>
      several('grant', 'to'),
    );
    expect(inOrder).to.equal(
      'failure rights.missing: no right to select, insert on known_databases; no right to select, insert, delete on sync_jobs',
    );
  });

  it('names the grants if its role lacks a right in the dashboard, and so does /readyz', async () => {
    const program = new SyncProgram(syncSettings(asWorker()), new PrometheusMetrics());
    const findingIn = async (name: string) =>
      (await findings(asWorker())).find(({ check }) => check === name);
    const mappingInReadyz = async () => (await program.examine()).find(({ check }) => check === 'mapping');
    const grants = (verb: string, right: string, name: string) =>
      granted.writeOwner.raw(`${verb} ${right} ${name} ${granted.sync.name}`);
    for (const [right, look] of [
      ['select on tags', () => findingIn('mapping')],
      ['select on tags', mappingInReadyz],
      ['select on content_sync.change_queue', () => findingIn('syncLag')],
    ] as const) {
      const finding = await during(grants('revoke', right, 'from'), look, () => grants('grant', right, 'to'));
      expect(finding?.message).to.match(/^WRITE_DATABASE_URL: [^_]*permission denied for table/);
      expect(finding?.advice).to.match(/^grant .* `npm run -s migrate -- --grants` prints/);
    }
    const schema = 'usage on schema content_sync';
    const found = await during(
      grants('revoke', schema, 'from'),
      () => findingIn('dashboard'),
      () => grants('grant', schema, 'to'),
    );
    expect(found?.message).to.equal('WRITE_DATABASE_URL: 42501: permission denied for schema content_sync');
    await program.stop();
  });

  it('reports that no worker leads, and how long changes have been waiting', async () => {
    await granted.writeOwner.raw(
      `insert into content_sync.change_queue (kind, at) values ('everything', now() - interval '1 minute')`,
    );
    const [leader, lag, ...others] = await complaintsOfWorker();
    expect(leader).to.match(
      /^failure syncLeader.none: there is no leader; the last one was \S+, last beat \d+ ms ago$/,
    );
    expect(lag).to.match(
      /^warning syncLag.late: changes that wait: 1; the oldest change, or step of a job, has waited for 6\d s$/,
    );
    expect(others).to.eql([]);
  });

  it('begins with why the last sessions failed, unless one has worked since', async () => {
    const set = (beatAfter: string) =>
      granted.readOwner.raw(
        `update content_read.sync_leader set failure = 'the last 2 sessions failed: 53100: no space', beat_at = since + interval '${beatAfter}'`,
      );
    await set('1 second');
    const [failing] = await complaintsOfWorker();
    await set('1 minute');
    const [worked] = await complaintsOfWorker();
    expect(failing).to.equal(
      'failure syncLeader.failing: changes wait: the last 2 sessions failed: 53100: no space',
    );
    expect(worked)
      .to.match(/^failure syncLeader.none: there is no leader; /)
      .and.not.to.include('53100');
  });

  it('reports a leader that is frozen', async () => {
    const frozen = new pg.Client(asWorker().readDatabaseUrl);
    await frozen.connect();
    await frozen.query(`select pg_advisory_lock(hashtextextended('content_read.sync_leader', 0))`);
    await frozen.query(`update content_read.sync_leader set backend_pid = pg_backend_pid(), holder = 'host:1',
      since = now() - interval '1 hour', beat_at = now() - interval '1 minute'`);
    const [leader] = await complaintsOfWorker();
    await frozen.end();
    expect(leader).to.match(/^failure syncLeader.frozen: host:1, last beat 6\d{4} ms ago$/);
  });

  describe('with a worker that leads', () => {
    let worker: SyncProgram;

    before(async () => {
      worker = new SyncProgram(syncSettings(asWorker()), new PrometheusMetrics());
      await worker.start();
      await eventually(async () => {
        expect(worker.loop.epoch).not.to.equal(null);
        expect(await granted.writeOwner('content_sync.change_queue')).to.eql([]);
      });
    });
    after(() => worker?.stop());

    it('finds no problem, and lists its checks', async () => {
      expect(await complaintsOfWorker()).to.eql([]);
      expect((await findings(asWorker())).map(({ check }) => check)).to.eql([
        'readServer',
        'readClock',
        'readSessions',
        'migrations',
        'rights',
        'syncLeader',
        'jobs',
        'unshownRows',
        'webhooks',
        'dashboardServer',
        'dashboardSessions',
        'dashboard',
        'mapping',
        'mappingInFull',
        'changeCapture',
        'syncLag',
      ]);
    });

    it('has each check of /readyz, save for the one of its process', async () => {
      const ofReadyz = (await worker.examine()).map(({ check }) => check);
      expect(ofReadyz).to.include('syncing');
      const ofDoctor = (await findings(asWorker())).map(({ check }) => check);
      expect([...ofDoctor, 'syncing']).to.include.members(ofReadyz);
    });

    it('reports triggers that are missing, disabled, or disabled for replication tools', async () => {
      const found = await during(
        granted.writeOwner.raw(`drop trigger content_sync_insert on tags;
          alter table blogs disable trigger content_sync_update;
          alter table websites enable trigger content_sync_delete`),
        complaintsOfWorker,
        () => migrate(granted.dashboard, () => {}),
      );
      expect(found[0]).to.equal(
        'failure changeCapture.broken: blogs.content_sync_update is disabled; tags.content_sync_insert is missing; ' +
          'websites.content_sync_delete is not enabled for replication tools',
      );
      expect((await complaintsOfWorker()).filter((line) => line.includes('changeCapture'))).to.eql([]);
    });

    it('reports rows that cannot be shown, by their cause', async () => {
      const rows = () => granted.readOwner('content_read.unshown_rows');
      // The worker may delete the row before the doctor reads it.
      await eventually(async () => {
        const found = await during(
          rows().insert(
            ['tag_1', 'tag_2'].map((id) => ({
              kind: 'tags',
              id,
              reason: 'color does not have the form #rrggbb',
              cause: 'color does not have the form #rrggbb',
              attempts: 1,
              retry_at: new Date(Date.now() + 3_600_000),
            })),
          ),
          complaintsOfWorker,
          () => rows().delete(),
        );
        expect(found).to.include(
          'warning unshownRows.some: tags: 2, the first one tag_1: color does not have the form #rrggbb',
        );
      });
    });
  });
});
