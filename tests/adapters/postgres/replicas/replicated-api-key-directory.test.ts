import { expect } from 'chai';
import type { Knex } from 'knex';
import * as mocha from 'mocha';
import sinon from 'sinon';
import { PostgresApiKeyDirectory } from '../../../../src/adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresGenerations } from '../../../../src/adapters/postgres/read/postgres-generations.js';
import { Replica } from '../../../../src/adapters/postgres/replicas/replica.js';
import { ReplicatedApiKeyDirectory } from '../../../../src/adapters/postgres/replicas/replicated-api-key-directory.js';
import { withTimeLimit } from '../../../../src/adapters/system/with-time-limit.js';
import { apiKeyDirectoryContract } from '../../../../src/contracts/reading/api-key-directory.contract.js';
import { currentGeneration } from '../../../../src/contracts/support/current-generation.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import { aKey } from '../../../../src/contracts/support/rows.js';
import type { ApiKey } from '../../../../src/domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../../../src/domain/ports/reading/api-key-directory.js';
import { leadingWriter } from '../../../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../../../support/postgres/read-tables.js';

const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };
const AWAY = new Error('the primary is away');

const inTime = <Answer>(answer: Promise<Answer>) => withTimeLimit(60_000, answer);

describe('API keys, with replicas,', () => {
  const readTables = sharedReadTables();
  /** Each has what a test writes to it. One that lacks something lags. */
  const replicaTables = [sharedReadTables(), sharedReadTables()];
  let replicas: Replica[];
  let key: ApiKey;

  beforeEach(async () => {
    replicas = replicaTables.map((tables, at) => new Replica(`replica ${at}`, tables(), NO_LOG, inTime));
    await Promise.all(replicas.map((replica) => replica.probe()));
    key = aKey({ id: freshId('key'), organizationId: freshId('org'), hash: freshId('hash') });
  });

  const put = async (database: Knex, given: ApiKey): Promise<number> => {
    await putInto(leadingWriter(database))('apiKeys', given);
    return currentGeneration(new PostgresGenerations(database), given.organizationId);
  };
  const one = () => (replicaTables[0] as () => Knex)();
  const other = () => (replicaTables[1] as () => Knex)();
  const withPrimary = (find: ApiKeyDirectory['find']) => new ReplicatedApiKeyDirectory({ find }, replicas);
  const withoutPrimary = () => withPrimary(sinon.fake.rejects(AWAY));
  const failureOf = (answer: Promise<unknown>) =>
    answer.then(
      () => null,
      (error: unknown) => error,
    );

  describe('while the primary answers:', () => {
    apiKeyDirectoryContract(mocha, ReplicatedApiKeyDirectory, async () => {
      const primary = readTables();
      return {
        subject: new ReplicatedApiKeyDirectory(new PostgresApiKeyDirectory(primary), replicas),
        put: (...keys) => putInto(leadingWriter(primary))('apiKeys', ...keys),
        remove: async (...ids) =>
          void (await leadingWriter(primary).replace({ kind: 'apiKeys', ids, rows: [] })),
        generations: new PostgresGenerations(primary),
        elapse() {},
      };
    });

    it('are looked up on the primary only, even if it does not have the key', async () => {
      await put(one(), key);
      expect(await withPrimary(async () => null).find(key.hash, 0)).to.equal(null);
      expect(replicas[0]?.reading.answered).to.equal(0);
    });
  });

  it('are found on a replica while the primary fails or is late', async () => {
    const generation = await put(one(), key);
    await put(other(), key);
    expect(await withoutPrimary().find(key.hash, 0)).to.have.deep.property('key', key);
    expect(await withoutPrimary().find(key.hash, generation)).to.deep.equal({ key, generation });
    expect(await withPrimary(() => new Promise(() => {})).find(key.hash, generation)).to.deep.equal({
      key,
      generation,
    });
  });

  it('are found on the replica that has the generation', async () => {
    await put(one(), key);
    const revoked = { ...key, revokedAt: 1 };
    const generation = await put(other(), revoked);
    for (let n = 0; n < 4; n++) {
      expect(await withoutPrimary().find(key.hash, generation)).to.deep.equal({ key: revoked, generation });
    }
  });

  it('are not accepted from replicas that lack the generation, because they may lack the revocation', async () => {
    const generations = [await put(one(), key), await put(other(), key)];
    const since = Math.max(...generations) + 1;
    expect(await failureOf(withoutPrimary().find(key.hash, since))).to.equal(AWAY);
  });

  it('are not reported as unknown because replicas lack them', async () => {
    expect(await failureOf(withoutPrimary().find(key.hash, 0))).to.equal(AWAY);
  });

  it('are not read from an excluded replica', async () => {
    await put(one(), key);
    sinon.stub(replicas[0] as Replica, 'canServe').returns(false);
    expect(await failureOf(withoutPrimary().find(key.hash, 0))).to.equal(AWAY);
  });

  it('are found on another replica if one fails', async () => {
    const generations = [await put(one(), key), await put(other(), key)];
    for (const replica of replicas) {
      const read = sinon.stub(replica, 'read').rejects(new Error('it fails'));
      const directory = withoutPrimary();
      expect((await directory.find(key.hash, Math.min(...generations)))?.key).to.deep.equal(key);
      read.restore();
    }
  });
});

describe('A standby at the address of the primary', () => {
  const isOnStandby = (generation: number) =>
    ({
      raw: () => ({
        timeout: async () => ({
          rows: [
            {
              id: 'id',
              organization_id: 'org',
              hash: 'hash',
              expires_at: null,
              revoked_at: null,
              generation: String(generation),
              is_on_standby: true,
            },
          ],
        }),
      }),
    }) as unknown as Knex;

  it('is not trusted with a key before it has the generation', async () => {
    const directory = new PostgresApiKeyDirectory(isOnStandby(5));
    expect(await directory.find('hash', 5)).to.include({ generation: 5 });
    const failure = await directory.find('hash', 6).catch(({ message }) => message);
    expect(failure).to.include('a standby that lacks generation 6');
  });
});
