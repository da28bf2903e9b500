import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { manageKeys } from '../../../src/programs/keys/manage-keys.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { NEWSROOM, NEWSROOM_CONTENT, NEWSROOM_MAPPING } from '../../support/dashboards/second-dashboard.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { type OpenedSession, openSession } from '../../support/sync/open-session.js';

/** What the API must show, computed from the tables of the dashboard itself. */
const EXPECTED = `
  select article.article_no::text as id, site_no::text as website_id, headline as title, path as slug, coalesce(body, '') as content_html,
    words as word_count, live_since at time zone 'Europe/Paris' as published_at,
    array(select label::text from newsroom.articles_sections join newsroom.sections using (section_no) where article_no = article.article_no order by 1) as categories,
    array(select label::text from newsroom.articles_labels join newsroom.labels using (label_no) where article_no = article.article_no order by 1) as tags
  from newsroom.articles as article join newsroom.addresses as address on address.article_no = article.article_no
  where is_live and coalesce(teaser, '') <> chr(63) order by article.article_no`;
const PRESENT = `
  select id, website_id, title, slug, content_html, word_count, published_at,
    array(select term->>'name' from jsonb_array_elements(categories) as term order by 1) as categories,
    array(select term->>'name' from jsonb_array_elements(tags) as term order by 1) as tags
  from content_read.blogs where organization_id = 'acme' order by id::bigint`;

/** Each is a transaction of an editor, or of a psql session. */
const EDITS: Readonly<Record<string, string>> = {
  'a title': `update newsroom.articles set headline = 'New' where article_no = 1`,
  'a slug in another table': `update newsroom.addresses set path = 'moved-' || path where article_no < 10`,
  'a column that determines the status': `update newsroom.articles set teaser = chr(63) where article_no in (1, 2)`,
  'the name of a tag, found by a select over the changed row': `update newsroom.labels set label = 'Rouge' where label_no = 1`,
  'a link': `delete from newsroom.articles_sections where article_no = 4; insert into newsroom.articles_sections values (7, 1)`,
  'a category of many blogs': `update newsroom.sections set label = 'Ocean' where section_no = 2`,
  'the website of some blogs': `update newsroom.articles set site_no = 2 where article_no in (8, 10)`,
  'an id': `insert into newsroom.sites values (3, 'Three'); update newsroom.articles set site_no = 3 where article_no = 11`,
  'an id that its column could not hold before': `alter table newsroom.sections alter column section_no type bigint;
    alter table newsroom.articles_sections alter column section_no type bigint;
    insert into newsroom.sections values (5000000000, 1, null, 'Far', 'far'); insert into newsroom.articles_sections values (7, 5000000000)`,
  'all links to tags, by TRUNCATE': `truncate newsroom.articles_labels`,
  'many deleted blogs': `delete from newsroom.articles where article_no > 20`,
};

describe('A dashboard with a mapping', () => {
  let folder: string;
  let settings: { writeDatabaseUrl: string; readDatabaseUrl: string; dashboardMapping: string };
  let database: Knex;
  let readTables: Knex;
  let session: OpenedSession;
  let epoch: number;

  const settle = async () => {
    await session.checkCapture(epoch);
    while (await session.worker.step(epoch));
  };
  const present = async () => (await readTables.raw(PRESENT)).rows;
  const expected = async () => (await database.raw(EXPECTED)).rows;
  const printed = async (job: (print: (text: string) => void) => Promise<void>) => {
    const lines: string[] = [];
    await job((text) => lines.push(text));
    return lines;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mapping-'));
    const dashboardMapping = join(folder, 'mapping.yaml');
    await writeFile(dashboardMapping, NEWSROOM_MAPPING);
    settings = {
      writeDatabaseUrl: await createTestDatabase(),
      readDatabaseUrl: await createTestDatabase(),
      dashboardMapping,
    };
    database = openDashboardDatabase(settings.writeDatabaseUrl);
    readTables = openDashboardDatabase(settings.readDatabaseUrl);
    await database.raw(NEWSROOM);
    await database.raw(NEWSROOM_CONTENT);
  });
  after(async () => {
    await session?.close();
    await Promise.all([database.destroy(), readTables.destroy(), rm(folder, { recursive: true })]);
  });

  it('is not changed by an explanation of what migrate would create', async () => {
    const lines = (await printed((print) => dashboardOf(settings).explain(print))).join('\n');
    expect(lines).to.contain('create table if not exists content_keys.api_keys');
    expect(lines).to.contain('create or replace function content_sync."capture newsroom.labels"()');
    const { rows } = await database.raw(`select to_regnamespace('content_sync') as schema`);
    expect(rows[0].schema).to.equal(null);
  });

  it('is migrated without a warning, twice', async () => {
    const first = await printed((print) => migrate(settings, print));
    expect(first.at(-1)).to.equal('Change capture: installed 32 triggers; everything is read again.');
    expect(first.filter((line) => line.startsWith('Mapping'))).to.eql([]);
    expect((await printed((print) => migrate(settings, print))).at(-1)).to.equal(
      'Change capture: up to date.',
    );
  });

  it('is copied to the read tables', async () => {
    session = openSession(
      { engine: dashboardOf(settings), readDatabaseUrl: settings.readDatabaseUrl },
      new MemoryMetrics(),
      new RecordingLog(),
    );
    await session.requireTables();
    epoch = (await session.ports.leadership.claim(null)) ?? 0;
    await settle();

    expect(await present()).to.eql(await expected());
    expect(await present()).to.have.length.above(10);
    expect((await session.dashboard.captureState()).broken).to.eql([]);
  });

  for (const [what, edit] of Object.entries(EDITS)) {
    it(`has its edits applied: ${what}`, async () => {
      await database.raw(edit);
      await settle();
      expect(await present()).to.eql(await expected());
    });
  }

  it('equals the read tables after a rebuild', async () => {
    await session.ports.jobQueue.requestEverything();
    await settle();
    expect(await present()).to.eql(await expected());
  });

  it('has keys that this project manages and that outlive the change capture', async () => {
    const create = { name: 'keys create', keyName: 'A', expiresAt: null, json: true } as const;
    const [made = ''] = await printed((print) =>
      manageKeys({ ...create, organizationId: 'acme' }, settings, print),
    );
    const { id } = JSON.parse(made);
    await settle();
    expect(await readTables('content_read.api_keys').pluck('id')).to.eql([id]);

    await dashboardOf(settings).removeCapture(() => {});
    await migrate(settings, () => {});
    await settle();
    expect(await readTables('content_read.api_keys').pluck('id')).to.eql([id]);
    await manageKeys({ name: 'keys revoke', id }, settings, () => {});
    await settle();
    expect((await readTables('content_read.api_keys').first()).revoked_at).not.to.equal(null);

    const failure = await manageKeys({ ...create, organizationId: 'nobody' }, settings, () => {}).catch(
      (error: unknown) => error,
    );
    expect(failure)
      .to.have.property('message')
      .that.equals(`There is no organization "nobody" in the dashboard's database.`);
  });

  it('reports that the change capture belongs to another mapping, and is rebuilt after the repair', async () => {
    await writeFile(settings.dashboardMapping, NEWSROOM_MAPPING.replace("'acme' as", "'other' as"));
    const changed = dashboardOf(settings).connect('test');
    try {
      expect((await changed.captureState()).broken).to.eql([
        'it was installed for another mapping than that of DASHBOARD_MAPPING',
      ]);
      await migrate(settings, () => {});
      expect((await changed.captureState()).broken).to.eql([]);
    } finally {
      await changed.close();
    }
  });
});
