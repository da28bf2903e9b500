import { expect } from 'chai';
import { connectWorker } from '../../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../../src/adapters/sql/worker-connection.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import type { ContentSource } from '../../../../src/domain/ports/dashboard/content-source.js';
import { startCapturedDashboard } from '../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';
import { referenceFeed, referenceSource } from '../../../support/dashboards/reference-mapping.js';

const REPLACE = `
  alter table api_keys rename to api_keys_before;
  create table api_keys (like api_keys_before including all);
  insert into api_keys select * from api_keys_before`;
const REWRITE = `alter table api_keys alter column revoked_at type timestamptz(6) using revoked_at + interval '0'`;

describe('A table of the dashboard that is created again while it is read', () => {
  let dashboard: DashboardUnderTest;
  let worker: WorkerConnection;

  beforeEach(async () => {
    dashboard = await startCapturedDashboard();
    worker = connectWorker(dashboard.url, 'test');
    await dashboard.putOwners();
    await dashboard.putKey({ id: 'key' });
    await dashboard.putBlog({ id: 'blog' });
  });
  afterEach(async () => {
    await worker.close();
    await dashboard.stop();
  });

  /** Reads something after an earlier statement of the same snapshot, with a change of the tables in between. */
  const readDuring = async <Read>(change: string, read: (source: ContentSource) => Promise<Read>) => {
    let isChanged = false;
    return referenceFeed(worker.database).read(10, async (_, source) => {
      if (!isChanged) await dashboard.database.raw(change);
      isChanged = true;
      return read(source);
    });
  };

  for (const [what, change] of Object.entries({ replaced: REPLACE, rewritten: REWRITE })) {
    it(`has all its rows when it is read, although it is ${what} meanwhile`, async () => {
      const { rows } = await readDuring(change, (source) => source.read('apiKeys', ['key']));
      expect(rows.map(({ id }) => id)).to.eql(['key']);
    });

    it(`has all its rows when existing ones are looked up, although it is ${what} meanwhile`, async () => {
      expect(
        await readDuring(change, (source) => source.existing('apiKeys', { kind: 'everything' }, ['key'])),
      ).to.eql(['key']);
    });
  }

  it('has its owners if the websites are rewritten meanwhile', async () => {
    const change = `alter table websites alter column name type varchar(200) using name || ''`;
    const owners = await readDuring(change, (source) => source.owners(['web_a']));
    expect(owners).to.eql([{ websiteId: 'web_a', organizationId: 'org_a' }]);
  });

  it('has all its rows if a part of it, which is a table of its own, is rewritten meanwhile', async () => {
    await dashboard.database.raw(`create table old_keys () inherits (api_keys);
      insert into old_keys (id, organization_id, key_hash) values ('old', 'org_a', 'hash of old')`);
    const change = `alter table old_keys add column made_at timestamptz default clock_timestamp()`;
    const { rows } = await readDuring(change, (source) => source.read('apiKeys', ['key', 'old']));
    expect(rows.map(({ id }) => id)).to.have.members(['key', 'old']);
  });

  it('delays the read until the change is committed', async () => {
    const change = await dashboard.database.transaction();
    await change.raw(REPLACE);
    const reading = referenceSource(worker.database).read('apiKeys', ['key']);
    await eventually(async () => {
      const { rows } = await change.raw(
        `select from pg_locks where not granted and relation in ('api_keys'::regclass, 'api_keys_before'::regclass)`,
      );
      expect(rows).to.have.lengthOf(1);
    });
    await change.commit();
    expect((await reading).rows.map(({ id }) => id)).to.eql(['key']);
  });

  it('is empty if it was truncated', async () => {
    const { rows } = await readDuring('truncate api_keys', (source) => source.read('apiKeys', ['key']));
    expect(rows).to.eql([]);
  });
});
