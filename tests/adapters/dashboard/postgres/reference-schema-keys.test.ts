import { expect } from 'chai';
import { DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';

const CHECK_VIOLATION = '23514';
const PAST = '2020-01-01T00:00:00Z';
const FUTURE = '2100-01-01T00:00:00Z';

describe('the keys of the reference schema', () => {
  let dashboard: DashboardUnderTest;

  const update = (assignment: string) =>
    dashboard.refusalOf(`update api_keys set ${assignment} where id = 'key'`);

  before(async () => {
    dashboard = await DashboardUnderTest.start();
  });
  after(() => dashboard.stop());
  beforeEach(async () => {
    await dashboard.empty();
    await dashboard.putOwners();
  });

  it('cannot have their revocation cleared', async () => {
    await dashboard.putKey({ id: 'key', revoked_at: PAST });

    expect(await update('revoked_at = null')).to.equal(CHECK_VIOLATION);
    expect(await update("revoked_at = null, name = 'new'")).to.equal(CHECK_VIOLATION);
  });

  it('cannot have their revocation cleared by an update of many keys', async () => {
    await dashboard.putKey({ id: 'key', revoked_at: PAST });
    await dashboard.putKey({ id: 'other' });

    expect(await dashboard.refusalOf('update api_keys set revoked_at = null')).to.equal(CHECK_VIOLATION);
  });

  it('cannot have their revocation cleared by an insert that becomes an update', async () => {
    await dashboard.putKey({ id: 'key', revoked_at: PAST });
    const upsert = `insert into api_keys (id, organization_id, key_hash) values ('key', 'org_a', 'h')
      on conflict (id) do update set revoked_at = excluded.revoked_at`;

    expect(await dashboard.refusalOf(upsert)).to.equal(CHECK_VIOLATION);
  });

  for (const moved of [
    `'${FUTURE}'`,
    `'2020-01-02T00:00:00Z'`,
    `'2019-01-01T00:00:00Z'`,
    'null',
    "'infinity'",
  ]) {
    it(`cannot have their expiry moved to ${moved} after they have expired`, async () => {
      await dashboard.putKey({ id: 'key', expires_at: PAST });

      expect(await update(`expires_at = ${moved}`)).to.equal(CHECK_VIOLATION);
    });
  }

  it('cannot have their expiry moved after they have expired within the same transaction', async () => {
    await dashboard.putKey({ id: 'key', expires_at: FUTURE });
    const expireAndMove = `update api_keys set expires_at = '${PAST}';
      update api_keys set expires_at = '${FUTURE}'`;

    expect(await dashboard.refusalOf(expireAndMove)).to.equal(CHECK_VIOLATION);
  });

  it('do not change when an update is refused', async () => {
    await dashboard.putKey({ id: 'key', revoked_at: PAST });
    const before = await dashboard.dump('api_keys');
    await update("revoked_at = null, name = 'new'");

    expect(await dashboard.dump('api_keys')).to.eql(before);
  });

  for (const [what, given, assignment] of [
    ['revoked', {}, 'revoked_at = now()'],
    ['revoked after they expired', { expires_at: PAST }, 'revoked_at = now()'],
    ['given another time of revocation', { revoked_at: PAST }, 'revoked_at = now()'],
    ['given an expiry', {}, `expires_at = '${FUTURE}'`],
    ['made to expire immediately', { expires_at: FUTURE }, `expires_at = '${PAST}'`],
    [
      'given a later expiry before they expire',
      { expires_at: FUTURE },
      "expires_at = '2101-01-01T00:00:00Z'",
    ],
    ['changed to never expire before they expire', { expires_at: FUTURE }, 'expires_at = null'],
    ['given another expiry after they were revoked', { revoked_at: PAST }, `expires_at = '${FUTURE}'`],
    ['renamed after they expired and were revoked', { expires_at: PAST, revoked_at: PAST }, "name = 'new'"],
    ['set to what they already have', { expires_at: PAST, revoked_at: PAST }, `expires_at = '${PAST}'`],
    ['moved to another organization', { expires_at: PAST, revoked_at: PAST }, "organization_id = 'org_b'"],
  ] as const) {
    it(`can be ${what}`, async () => {
      await dashboard.putKey({ id: 'key', ...given });

      expect(await update(assignment)).to.equal(null);
    });
  }

  it('can be deleted in any state, and truncated', async () => {
    await dashboard.putKey({ id: 'key', expires_at: PAST, revoked_at: PAST });

    expect(await dashboard.refusalOf('delete from api_keys')).to.equal(null);
    expect(await dashboard.refusalOf('truncate api_keys')).to.equal(null);
  });

  it('have different hashes', async () => {
    await dashboard.putKey({ id: 'key', key_hash: 'same' });

    const insert = "insert into api_keys (id, organization_id, key_hash) values ('k', 'org_b', 'same')";
    expect(await dashboard.refusalOf(insert)).to.equal('23505');
  });
});
