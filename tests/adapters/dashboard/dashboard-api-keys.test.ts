import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { UnknownInDashboard } from '../../../src/adapters/dashboard/issued-key.js';
import { DashboardApiKeys } from '../../../src/adapters/dashboard/postgres/dashboard-api-keys.js';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { DashboardUnderTest } from '../../support/dashboards/dashboard-under-test.js';

const PAST = new Date('2020-01-01T00:00:00Z');
const FUTURE = new Date('2100-01-01T00:00:00Z');

async function messageOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).to.be.instanceOf(UnknownInDashboard);
  return (error as Error).message;
}

describe('DashboardApiKeys', () => {
  let dashboard: DashboardUnderTest;
  let apiKeys: DashboardApiKeys;

  const rowOf = (id: string) => dashboard.database('api_keys').where({ id }).first();

  before(async () => {
    dashboard = await DashboardUnderTest.start();
    apiKeys = new DashboardApiKeys(dashboard.database, new Sha256KeyHasher());
  });
  after(() => dashboard.stop());
  beforeEach(async () => {
    await dashboard.empty();
    await dashboard.putOwners();
  });

  describe('create', () => {
    it('stores nothing of the key but its hash and its beginning', async () => {
      const { id, key } = await apiKeys.create('org_a', 'Site', FUTURE);

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

    it('creates a different key and id each time', async () => {
      const [one, other] = [await apiKeys.create('org_a', '', null), await apiKeys.create('org_a', '', null)];

      expect(one.id).not.to.equal(other.id);
      expect(one.key).not.to.equal(other.key);
    });

    it('reports that there is no such organization, and stores nothing', async () => {
      const message = await messageOf(apiKeys.create('org_x', '', null));

      expect(message).to.equal('There is no organization "org_x" in the dashboard\'s database.');
      expect(await dashboard.dump('api_keys')).to.eql(['api_keys']);
    });
  });

  describe('list', () => {
    it('lists all keys of the organization, the oldest first, and none of another', async () => {
      await dashboard.putKey({ id: 'young', key_prefix: 'brk_y', created_at: '2026-01-02T00:00:00Z' });
      await dashboard.putKey({
        id: 'old',
        key_prefix: 'brk_o',
        created_at: PAST,
        expires_at: PAST,
        revoked_at: FUTURE,
      });
      await dashboard.putKey({ id: 'other', organization_id: 'org_b' });

      expect(await apiKeys.list('org_a')).to.eql([
        { id: 'old', name: '', prefix: 'brk_o', createdAt: PAST, expiresAt: PAST, revokedAt: FUTURE },
        {
          id: 'young',
          name: '',
          prefix: 'brk_y',
          createdAt: new Date('2026-01-02T00:00:00Z'),
          expiresAt: null,
          revokedAt: null,
        },
      ]);
    });

    it('reveals neither a key nor its hash', async () => {
      const { key } = await apiKeys.create('org_a', '', null);
      const listed = JSON.stringify(await apiKeys.list('org_a'));

      expect(listed).not.to.include(key);
      expect(listed).not.to.include(new Sha256KeyHasher().hash(key));
    });

    it('is empty for an organization without keys', async () => {
      expect(await apiKeys.list('org_b')).to.eql([]);
    });

    it('reports that there is no such organization', async () => {
      expect(await messageOf(apiKeys.list('org_x'))).to.equal(
        'There is no organization "org_x" in the dashboard\'s database.',
      );
    });
  });

  describe('revoke', () => {
    it('revokes the key immediately', async () => {
      const { id, key } = await apiKeys.create('org_a', '', null);
      await apiKeys.revoke(id);

      expect((await rowOf(id)).revoked_at).to.be.instanceOf(Date);
      expect(await apiKeys.isValid(key)).to.equal(false);
    });

    it('keeps the first time if a key is revoked twice', async () => {
      await dashboard.putKey({ id: 'key', revoked_at: PAST });
      await apiKeys.revoke('key');

      expect((await rowOf('key')).revoked_at).to.eql(PAST);
    });

    it('revokes a key that has expired', async () => {
      await dashboard.putKey({ id: 'key', expires_at: PAST });
      await apiKeys.revoke('key');

      expect((await rowOf('key')).revoked_at).to.be.instanceOf(Date);
    });

    it('revokes only that key', async () => {
      const [one, other] = [await apiKeys.create('org_a', '', null), await apiKeys.create('org_a', '', null)];
      await apiKeys.revoke(one.id);

      expect(await apiKeys.isValid(other.key)).to.equal(true);
    });

    it('reports that there is no such key', async () => {
      expect(await messageOf(apiKeys.revoke('key_x'))).to.equal(
        'There is no key "key_x" in the dashboard\'s database.',
      );
    });
  });

  describe('isValid', () => {
    it('accepts a created key until it expires', async () => {
      const endless = await apiKeys.create('org_a', '', null);
      const expiring = await apiKeys.create('org_a', '', FUTURE);
      const expired = await apiKeys.create('org_a', '', PAST);

      expect(await Promise.all([endless, expiring, expired].map(({ key }) => apiKeys.isValid(key)))).to.eql([
        true,
        true,
        false,
      ]);
    });

    it('accepts no other key', async () => {
      const { key } = await apiKeys.create('org_a', '', null);

      expect(await apiKeys.isValid(`${key}x`)).to.equal(false);
      expect(await apiKeys.isValid('')).to.equal(false);
    });
  });
});
