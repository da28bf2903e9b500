import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { POSTGRES_ENGINE } from '../../../../src/adapters/dashboard/postgres/engine.js';
import { DashboardKeys } from '../../../../src/adapters/dashboard/source/dashboard-keys.js';
import { SourceReader } from '../../../../src/adapters/dashboard/source/source-reader.js';
import { Sha256KeyHasher } from '../../../../src/adapters/system/sha256-key-hasher.js';
import { DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';
import { REFERENCE } from '../../../support/dashboards/reference-mapping.js';

const PAST = new Date('2020-01-01T00:00:00Z');
const FUTURE = new Date('2100-01-01T00:00:00Z');

describe('DashboardKeys', () => {
  let dashboard: DashboardUnderTest;
  let keys: DashboardKeys;

  const rowOf = (id: string) => dashboard.database('api_keys').where({ id }).first();

  before(async () => {
    dashboard = await DashboardUnderTest.start();
    keys = new DashboardKeys(
      dashboard.database,
      new Sha256KeyHasher(),
      new SourceReader(REFERENCE, POSTGRES_ENGINE),
      'api_keys',
    );
  });
  after(() => dashboard.stop());
  beforeEach(async () => {
    await dashboard.empty();
    await dashboard.putOwners();
  });

  it('stores nothing of the key but its hash and its beginning', async () => {
    const { id, key } = await keys.create('org_a', 'Site', FUTURE);

    const { created_at, ...row } = await rowOf(id);
    expect(row).to.eql({
      id,
      organization_id: 'org_a',
      name: 'Site',
      key_hash: createHash('sha256').update(key).digest('hex'),
      key_prefix: key.slice(0, 8),
      expires_at: FUTURE,
      revoked_at: null,
    });
    expect(created_at).to.be.instanceOf(Date);
  });

  it('stores nothing for an organization that does not exist', async () => {
    await keys.create('org_x', '', null).catch(() => {});

    expect(await dashboard.dump('api_keys')).to.eql(['api_keys']);
  });

  it('revokes a key that has expired', async () => {
    await dashboard.putKey({ id: 'key', expires_at: PAST });
    await keys.revoke('key');

    expect((await rowOf('key')).revoked_at).to.be.instanceOf(Date);
  });

  it('tells whether a key is valid: neither unknown, nor expired, nor revoked', async () => {
    const endless = await keys.create('org_a', '', null);
    const expiring = await keys.create('org_a', '', FUTURE);
    const expired = await keys.create('org_a', '', PAST);
    const revoked = await keys.create('org_a', '', null);
    await keys.revoke(revoked.id);

    const issued = [endless, expiring, expired, revoked, { key: `${endless.key}x` }, { key: '' }];
    expect(await Promise.all(issued.map(({ key }) => keys.isValid(key)))).to.eql([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
