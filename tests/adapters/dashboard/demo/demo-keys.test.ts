import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DemoKeys } from '../../../../src/adapters/dashboard/demo/demo-keys.js';
import { POSTGRES_ENGINE } from '../../../../src/adapters/dashboard/postgres/engine.js';
import { DashboardKeys } from '../../../../src/adapters/dashboard/source/dashboard-keys.js';
import { SourceReader } from '../../../../src/adapters/dashboard/source/source-reader.js';
import { Sha256KeyHasher } from '../../../../src/adapters/system/sha256-key-hasher.js';
import { DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';
import { REFERENCE } from '../../../support/dashboards/reference-mapping.js';

describe('the demo keys', () => {
  let dashboard: DashboardUnderTest;
  let apiKeys: DashboardKeys;
  let folder: string;
  let file: string;

  const keysNow = () => new DemoKeys(dashboard.database, apiKeys, file).all();
  const keyCount = async () => (await dashboard.database('api_keys')).length;
  const revoke = async (key: string | undefined) => {
    const hash = new Sha256KeyHasher().hash(key ?? '');
    await dashboard.database('api_keys').where({ key_hash: hash }).update({ revoked_at: new Date() });
  };

  before(async () => {
    dashboard = await DashboardUnderTest.start();
    apiKeys = new DashboardKeys(
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
    folder = await mkdtemp(join(tmpdir(), 'demo-keys-'));
    file = join(folder, 'demo-keys.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are valid, one for each organization', async () => {
    const keys = await keysNow();

    expect(keys.map(({ organization }) => organization)).to.eql(['Organization a', 'Organization b']);
    expect(await Promise.all(keys.map(({ key }) => apiKeys.isValid(key)))).to.eql([true, true]);
  });

  it('belong to the organization for which they are shown', async () => {
    const [, ofB] = await keysNow();
    const hash = new Sha256KeyHasher().hash(ofB?.key ?? '');

    const row = await dashboard.database('api_keys').where({ key_hash: hash }).first();
    expect(row).to.include({ organization_id: 'org_b' });
  });

  it('are the same on every start', async () => {
    const first = await keysNow();

    expect(await keysNow()).to.eql(first);
    expect(await keyCount()).to.equal(2);
  });

  it('are stored in a file that only its owner can read', async () => {
    const keys = await keysNow();

    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(Object.values(JSON.parse(await readFile(file, 'utf8')))).to.eql(keys.map(({ key }) => key));
  });

  it('are replaced one by one when they are revoked', async () => {
    const [ofA, ofB] = await keysNow();
    await revoke(ofA?.key);
    const [newOfA, sameOfB] = await keysNow();

    expect(newOfA?.key).not.to.equal(ofA?.key);
    expect(await apiKeys.isValid(newOfA?.key ?? '')).to.equal(true);
    expect(sameOfB).to.eql(ofB);
    expect(await keysNow()).to.eql([newOfA, sameOfB]);
  });

  it('are created again if their file is missing or was truncated by a killed run', async () => {
    const first = await keysNow();
    for (const rest of ['', '{"org_a": "brk_', '{}']) {
      await writeFile(file, rest);
      const keys = await keysNow();
      expect(await Promise.all(keys.map(({ key }) => apiKeys.isValid(key))), rest).to.eql([true, true]);
      expect(keys).not.to.eql(first);
    }
  });

  it('are created for a new organization, and deleted for one that no longer exists', async () => {
    await keysNow();
    await dashboard.database('organizations').insert({ id: 'org_c', name: 'Organization c' });
    await dashboard.database('organizations').where({ id: 'org_a' }).delete();

    expect((await keysNow()).map(({ organization }) => organization)).to.eql([
      'Organization b',
      'Organization c',
    ]);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')))).to.eql(['org_b', 'org_c']);
  });
});
