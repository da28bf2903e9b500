import { expect } from 'chai';
import type { Knex } from 'knex';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { type OpenedSession, openSession } from '../../support/sync/open-session.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into api_keys (id, organization_id, key_hash) values ('key', 'org', 'hash'), ('other', 'org', 'other hash');
  insert into blogs (id, website_id, title, slug, status, published_at) values ('blog', 'web', 'Title', 'slug', 'published', now());`;

/** What happens to all tables except that of the keys. */
const TROUBLES = {
  'are locked, as by VACUUM FULL':
    'lock table organizations, websites, categories, tags, blogs, blog_categories, blog_tags in access exclusive mode',
  'no longer fit the mapping': `alter table blogs rename column excerpt to summary; alter table websites alter column id type varchar(10);
      alter table tags drop column website_id cascade; commit; begin`,
  'are gone':
    'drop table organizations, websites, categories, tags, blogs, blog_categories, blog_tags cascade; commit; begin',
};

describe('A revocation of an API key is applied', () => {
  let databases: SyncedDatabases;
  let session: OpenedSession;
  let epoch: number;
  let trouble: Knex.Transaction;

  const begin = async () => {
    session = openSession(databases, new MemoryMetrics(), new RecordingLog());
    await session.requireTables();
    await databases.shortenLocks(session.dashboard, 100);
    epoch = (await session.ports.leadership.claim(null)) ?? 0;
    await session.checkCapture(epoch);
  };
  const revoke = (id: string) =>
    databases.dashboard('api_keys').where({ id }).update({ revoked_at: new Date() });
  const revoked = () =>
    databases.readTables('content_read.api_keys').whereNotNull('revoked_at').orderBy('id').pluck('id');

  beforeEach(async () => {
    databases = await SyncedDatabases.create();
    await databases.dashboard.raw(CONTENT);
    await begin();
    while (await session.worker.step(epoch));
  });
  afterEach(async () => {
    await trouble?.rollback();
    await session.close();
    await databases.close();
  });

  it('and the only blog stays shown if a column is lost that was there at the last look', async () => {
    await databases.dashboard.raw(
      'update blogs set title = slug; alter table blogs rename column title to lost',
    );
    await revoke('key');
    while (await session.worker.step(epoch));
    expect(await revoked()).to.eql(['key']);
    expect(await databases.readTables('content_read.blogs').pluck('title')).to.eql(['Title']);
    expect(await databases.readTables('content_read.unshown_rows')).to.eql([]);
  });

  for (const [what, sql] of Object.entries(TROUBLES)) {
    it(`while all other tables ${what}`, async () => {
      trouble = await databases.dashboard.transaction();
      await trouble.raw(sql);

      await revoke('key');
      await session.checkCapture(epoch);
      await session.worker.step(epoch);
      expect(await revoked()).to.eql(['key']);

      await session.close();
      await begin();
      await revoke('other');
      await session.worker.step(epoch);
      expect(await revoked()).to.eql(['key', 'other']);
    });
  }
});
