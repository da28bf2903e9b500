import { expect } from 'chai';
import { migrateDatabase } from '../../../src/adapters/postgres/migrate-database.js';
import { PostgresGenerations } from '../../../src/adapters/postgres/postgres-generations.js';
import { openReadDatabase, type ReadDatabase } from '../../../src/adapters/postgres/read-database.js';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { eventually } from '../../support/eventually.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { createTestDatabase } from '../../support/test-postgres.js';

const RAISE = `insert into content_read.organizations (organization_id, generation) values ('org', ?)
  on conflict (organization_id) do update set generation = excluded.generation`;

describe('PostgresGenerations', () => {
  let proxy: TcpProxy;
  let direct: ReadDatabase;
  let slow: ReadDatabase;

  before(async () => {
    const url = await createTestDatabase();
    await migrateDatabase(url, READ_MIGRATIONS);
    proxy = await TcpProxy.before(Number(new URL(url).port));
    [direct, slow] = [openReadDatabase(url), openReadDatabase(proxy.url(url))];
  });

  after(async () => {
    await Promise.all([direct, slow].map((database) => database.destroy()));
    await proxy.stop();
  });

  it('tells whoever asks after a change of that change, while an answer from before it is on its way', async () => {
    const generations = new PostgresGenerations(slow);
    await direct.raw(RAISE, [1]);
    expect(await generations.current('org')).to.equal(1);

    let isHeld = false;
    proxy.hold((direction) => {
      if (direction === 'request' || isHeld) return false;
      isHeld = true;
      return true;
    });
    const early = generations.current('org');
    await eventually(async () => expect(isHeld).to.equal(true));
    await direct.raw(RAISE, [2]);
    expect(await generations.current('org')).to.equal(2);
    proxy.letGo();
    expect(await early).to.equal(1);
  });
});
