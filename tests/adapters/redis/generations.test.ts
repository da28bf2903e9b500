import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryGenerations } from '../../../src/adapters/memory/memory-generations.js';
import { MemoryReadModel } from '../../../src/adapters/memory/memory-read-model.js';
import { generationName } from '../../../src/adapters/redis/key-names.js';
import { RedisGenerations } from '../../../src/adapters/redis/redis-generations.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import { RepublishGenerations } from '../../../src/domain/sync/republish-generations.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { plainClient } from '../../support/postgres/plain-client.js';
import { putInto } from '../../support/postgres/read-tables.js';
import { type ConnectedRedis, processesOf } from '../../support/redis/connected-redis.js';
import { requestLogOn } from '../../support/redis/request-log-on.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const NOW = 1_768_000_000_000_000;

describe('RedisGenerations', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  let process: ConnectedRedis;
  let clock: SettableClock;
  let readModel: MemoryReadModel;
  let readTables: MemoryGenerations;
  let published: RedisGenerations;
  let organizationId: string;

  beforeEach(async () => {
    process = await connect();
    clock = new SettableClock(Date.now());
    readModel = new MemoryReadModel(clock);
    readTables = new MemoryGenerations(readModel);
    published = new RedisGenerations(process.breaker, readTables);
    organizationId = freshId('org');
  });

  /** Changes the read tables like a sync worker that crashes before it can publish. */
  async function change(changed = organizationId): Promise<number> {
    const tag = aTag({ id: freshId('tag'), organizationId: changed });
    await putInto(leadingWriter(readModel))('tags', tag);
    return readTables.current(changed);
  }

  const whatRedisShows = async () => Number(await client().get(generationName(organizationId)));

  for (const foreign of ['', 'a word', 'inf', '9e18', '1.5']) {
    it(`reads the read tables if another program wrote "${foreign}": under an invalid generation, answers would never become outdated`, async () => {
      const generation = await change();
      await client().set(generationName(organizationId), foreign);
      expect(await published.current(organizationId)).to.equal(generation);
    });
  }

  it('shows the highest generation that many processes publish at once', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => connect(5_000)));
    const boards = processes.map(({ breaker }) => new RedisGenerations(breaker, readTables));
    const generations = Array.from({ length: 200 }, (_, n) => NOW + ((n * 7919) % 200));
    await Promise.all(
      generations.map((generation, n) => boards[n % 4]?.publish([{ organizationId, generation }])),
    );
    expect(await published.current(organizationId)).to.equal(NOW + 199);
  });

  it('distinguishes two generations that differ by a microsecond, today and in a century', async () => {
    for (const generation of [NOW, NOW + 1, 4_900_000_000_000_001, Number.MAX_SAFE_INTEGER]) {
      await published.publish([{ organizationId, generation }]);
      expect(await published.current(organizationId)).to.equal(generation);
      await published.publish([{ organizationId, generation: generation - 1 }]);
      expect(await published.current(organizationId)).to.equal(generation);
    }
  });

  it('reads a generation that Redis lacks from the read tables, and publishes it', async () => {
    const generation = await change();
    const reads = sinon.spy(readTables, 'current');
    expect(await published.current(organizationId)).to.equal(generation);
    expect(await whatRedisShows()).to.equal(generation);
    expect(
      await new RedisGenerations((await connect()).breaker, readTables).current(organizationId),
    ).to.equal(generation);
    expect(reads.callCount).to.equal(1);
  });

  it('uses the generation of a request that is sent in the same turn, and reads it separately in a later turn', async () => {
    const log = requestLogOn(process.breaker);
    const shown = new RedisGenerations(process.breaker, readTables, log);
    await published.publish([{ organizationId, generation: NOW }]);
    const sent = sinon.spy(process.breaker, 'run');

    const recorded = log.record({ id: 'key', organizationId }, { limit: 5, lengthMs: 60_000 });
    expect(await shown.current(organizationId)).to.equal(NOW);
    expect(sent.callCount).to.equal(1);
    await recorded;

    const recording = log.record({ id: 'key', organizationId }, { limit: 5, lengthMs: 60_000 });
    await nextTurn();
    await published.publish([{ organizationId, generation: NOW + 1 }]);
    expect(await shown.current(organizationId)).to.equal(NOW + 1);
    await recording;
  });

  it('reads the read tables while Redis is unavailable', async () => {
    const generation = await change();
    await published.publish([{ organizationId, generation }]);
    await redis().pause();
    try {
      const raised = await change();
      expect(await published.current(organizationId)).to.equal(raised);
      await published.publish([{ organizationId, generation: raised }]);
    } finally {
      await redis().resume();
    }
  });

  describe('with RepublishGenerations', () => {
    let republisher: RepublishGenerations;

    beforeEach(async () => {
      republisher = new RepublishGenerations(readTables, published);
      process.breaker.onConnect(() => republisher.restart());
      await published.publish([{ organizationId, generation: await change() }]);
      await republisher.run();
    });

    async function expectHealed(): Promise<void> {
      await eventually(async () => {
        await republisher.run();
        expect(await whatRedisShows()).to.equal(await readTables.current(organizationId));
      });
      expect(await published.current(organizationId)).to.equal(await readTables.current(organizationId));
    }

    it('publishes what a sync worker did not publish', async () => {
      const generation = await change();
      expect(await published.current(organizationId)).to.be.lessThan(generation);
      await republisher.run();
      expect(await published.current(organizationId)).to.equal(generation);
    });

    it('is correct immediately after a FLUSHALL', async () => {
      const generation = await change();
      await client().flushall();
      expect(await published.current(organizationId)).to.equal(generation);
    });

    it('recovers after a restart with old data, even if the change was long ago', async () => {
      await redis().keepData();
      await published.publish([{ organizationId, generation: await change() }]);
      // Another organization has changed since, after more time than a commit may be delayed.
      clock.advance(3_600_000);
      await change(freshId('busy org'));
      await republisher.run();
      await redis().kill();
      await redis().startWithKeptData();
      await expectHealed();
    });

    it('recovers after a restart without data', async () => {
      await change();
      await redis().kill();
      await redis().startEmpty();
      await expectHealed();
    });

    it('publishes what could not be published while Redis was unavailable', async () => {
      await redis().pause();
      try {
        await published.publish([{ organizationId, generation: await change() }]);
        await republisher.run();
      } finally {
        await redis().resume();
      }
      await expectHealed();
    });
  });
});
