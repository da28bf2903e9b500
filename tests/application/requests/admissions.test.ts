import { expect } from 'chai';
import sinon from 'sinon';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { Admissions, CountedFailure } from '../../../src/application/requests/admissions.js';
import { Authentication } from '../../../src/application/requests/authentication.js';
import type { FollowedGenerations } from '../../../src/application/requests/followed-generations.js';
import { MemoryApiKeyDirectory } from '../../../src/contracts/fakes/memory-api-key-directory.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemoryRequestLog } from '../../../src/contracts/fakes/memory-request-log.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import type { WindowState } from '../../../src/domain/model/window.js';
import { judge } from '../../../src/domain/policies/sliding-window.js';
import type { RequestLog } from '../../../src/domain/ports/answering/request-log.js';
import { refusalOf } from '../../domain/refusal-of.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';

type Generations = Pick<FollowedGenerations, 'current'>;

const window = { limit: 3, lengthMs: 60_000 };
const hasher = new Sha256KeyHasher();
const keyOf = (organizationId: string) => `a-valid-key-of-${organizationId}`;
const requestOf = (organizationId: string, minGeneration = 0) => ({
  key: keyOf(organizationId),
  minGeneration,
});

const requireSync = async () => {};

describe('Admissions', () => {
  let clock: SettableClock;
  let readModel: MemoryReadModel;

  const admissionWith = (
    record: RequestLog['record'],
    generations: Generations = { current: async (id) => readModel.generationOf(id) },
    lastOf: (organizationId: string) => number | null = () => null,
  ) =>
    new Admissions(
      new Authentication(
        hasher,
        new MemoryApiKeyDirectory(readModel),
        { ...generations, requireSync },
        clock,
      ),
      { limit: async (key) => judge((await record(key, window)) as WindowState, window) },
      {
        current: (...of) => generations.current(...of),
        awaitCurrent: (...of) => generations.current(...of),
        lastOf,
      },
      clock,
      async (milliseconds) => clock.advance(milliseconds),
    );
  const logged = () => {
    const log = new MemoryRequestLog(clock);
    return log.record.bind(log);
  };
  const putKey = async (organizationId: string, times: { expiresAt?: number; revokedAt?: number } = {}) => {
    const row = aKey({
      id: `id_${organizationId}`,
      organizationId,
      hash: hasher.hash(keyOf(organizationId)),
      ...times,
    });
    await leadingWriter(readModel).replace({ kind: 'apiKeys', ids: [row.id], rows: [row] });
    return row;
  };

  beforeEach(() => {
    clock = new SettableClock();
    readModel = new MemoryReadModel(clock);
  });

  it('returns the key, its place in its window and the generation of its organization', async () => {
    const key = await putKey('org_a');

    expect(await admissionWith(logged()).admit(requestOf('org_a'))).to.eql({
      key,
      verdict: { admitted: true, remaining: 2, resetAt: clock.now() + 60_000 },
      generation: readModel.generationOf('org_a'),
      isConfirmed: true,
    });
  });

  it('admits a key that moves meanwhile to another organization by the generation of that one', async () => {
    const key = await putKey('org_a');
    const moved = { ...key, organizationId: 'org_b' };
    const generations = {
      current: async (organizationId: string) => {
        if (organizationId === 'org_a') {
          await leadingWriter(readModel).replace({ kind: 'apiKeys', ids: [key.id], rows: [moved] });
          await putKey('org_b');
        }
        return readModel.generationOf(organizationId);
      },
    };
    const request = requestOf('org_a');

    expect(await admissionWith(logged(), generations).admit(request)).to.deep.include({
      key: moved,
      generation: readModel.generationOf('org_b'),
    });
  });

  it('returns a verdict, not an error, if the window is full, and admits again when there is room', async () => {
    await putKey('org_a');
    const admission = admissionWith(logged());
    const admit = async () => (await admission.admit(requestOf('org_a'))).verdict;
    for (let request = 0; request < 3; request++) await admit();
    clock.advance(1000);

    expect(await admit()).to.include({ admitted: false, remaining: 0, retryAfterMs: 59_000 });
    clock.advance(59_000);
    expect(await admit()).to.include({ admitted: true, remaining: 2 });
  });

  it('records a request under the stored key, never under the secret of the caller', async () => {
    const row = await putKey('org_a');
    const record = sinon.spy(logged());
    await admissionWith(record).admit(requestOf('org_a'));

    expect(record.args).to.eql([[row, window]]);
  });

  for (const [what, key, times] of [
    ['missing', null, null],
    ['malformed', 'short', null],
    ['unknown', 'a-key-that-nobody-has', null],
    ['expired', keyOf('org_a'), { expiresAt: 0 }],
    ['revoked', keyOf('org_a'), { revokedAt: 0 }],
  ] as const) {
    it(`refuses a key that is ${what} without a trace in the request log`, async () => {
      if (times !== null) await putKey('org_a', times);
      const record = sinon.fake();

      expect(await refusalOf(admissionWith(record).admit({ key, minGeneration: 0 }))).to.equal(
        'unauthenticated',
      );
      expect(record.callCount).to.equal(0);
    });
  }

  it('reads the generation after the window, and returns it', async () => {
    await putKey('org_a');
    const [window, generation] = [new Gate<WindowState>(), new Gate<number>()];
    const admission = admissionWith(() => window.wait(), { current: () => generation.wait() });
    const admitted = admission.admit(requestOf('org_a'));
    await window.arrivalOf('the question to the request log');
    window.open({ accepted: true, count: 1, oldestAt: 0, blockingAt: 0, now: 0 });
    await generation.arrivalOf('the reader of the generation');
    generation.open(7);

    expect(await admitted).to.include({ generation: 7 });
  });

  it('refuses a key that was revoked between its lookup and the reading of the generation', async () => {
    await putKey('org_a');
    const gate = new Gate<number>();
    const admitted = admissionWith(logged(), { current: () => gate.wait() }).admit(requestOf('org_a'));
    await gate.arrivalOf('the reader of the generation');
    await putKey('org_a', { revokedAt: 0 });
    gate.open(readModel.generationOf('org_a'));

    expect(await refusalOf(admitted)).to.equal('unauthenticated');
  });

  describe('with a generation that the caller requires', () => {
    /** Returns these numbers one after the other, and then the last one again and again. */
    const generationsOf = (...numbers: number[]) => ({
      current: sinon.fake(async () => (numbers.length > 1 ? numbers.shift() : numbers[0]) ?? 0),
    });
    const admit = async (generations: Generations, minGeneration: number) =>
      (
        await admissionWith(logged(), generations).admit({
          key: keyOf('org_a'),
          minGeneration,
        })
      ).generation;

    beforeEach(() => putKey('org_a'));

    it('waits until it is reached, and no longer', async () => {
      const [begin, generations] = [clock.now(), generationsOf(5, 5, 6, 7, 8)];
      expect(await admit(generations, 7)).to.equal(7);
      expect(generations.current.callCount).to.equal(4);
      expect(clock.now() - begin).to.be.within(1, 500);
    });

    it('does not wait if it is already reached', async () => {
      const [begin, generations] = [clock.now(), generationsOf(7, 8)];
      expect(await admit(generations, 7)).to.equal(7);
      expect(clock.now()).to.equal(begin);
    });

    it('returns the current generation after a second', async () => {
      const begin = clock.now();
      expect(await admit(generationsOf(5, 6), 9)).to.equal(6);
      expect(clock.now() - begin).to.equal(1_000);
    });

    it('reads the generation only once more if reading it takes longer than a second', async () => {
      const current = sinon.fake(async () => {
        clock.advance(2_000);
        return 5;
      });
      await admit({ current }, 9);
      expect(current.callCount).to.equal(2);
    });

    it('refuses a key that is revoked during the wait', async () => {
      const first = readModel.generationOf('org_a');
      let reads = 0;
      const current = async () => {
        reads += 1;
        if (reads === 3) await putKey('org_a', { revokedAt: 0 });
        return readModel.generationOf('org_a');
      };
      expect(await refusalOf(admit({ current }, first + 1))).to.equal('unauthenticated');
    });

    it('does not wait if the window is full', async () => {
      const admission = admissionWith(logged());
      for (let request = 0; request < 3; request++) await admission.admit(requestOf('org_a'));
      const begin = clock.now();
      const { verdict } = await admission.admit(requestOf('org_a', 9e15));
      expect(verdict.admitted).to.equal(false);
      expect(clock.now()).to.equal(begin);
    });
  });

  it('refuses a request over the limit, too, while no generation can be read', async () => {
    await putKey('org_a');
    const generations = { current: sinon.stub().rejects(new Error('no server answers')) };
    const admission = admissionWith(logged(), generations);
    const admit = () => admission.admit(requestOf('org_a'));
    for (let request = 0; request < 3; request++) await admit().catch(() => {});

    expect((await admit()).verdict).to.include({ admitted: false, remaining: 0 });
  });

  it('passes on the failure to read the generation', async () => {
    await putKey('org_a');
    const current = sinon.fake.rejects(new Error('no generation'));
    const admission = admissionWith(logged(), { current });

    const failure = await admission.admit(requestOf('org_a')).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(CountedFailure);
    expect(failure).to.have.nested.property('cause.message', 'no generation');
    expect(failure).to.have.property('verdict').that.includes({ admitted: true, remaining: 2 });
  });

  describe('while the generation cannot be read', () => {
    const current = async () => {
      throw new Error('no generation');
    };
    const admit = (lastKnown: number | null, minGeneration = 0) =>
      admissionWith(logged(), { current }, () => lastKnown).admit({
        key: keyOf('org_a'),
        minGeneration,
      });

    beforeEach(() => putKey('org_a'));

    it('uses the last known one, and returns that it is not awaitCurrent', async () => {
      const known = readModel.generationOf('org_a') - 1;
      expect(await admit(known)).to.include({ generation: known, isConfirmed: false });
    });

    it('does not wait for the generation that the caller requires', async () => {
      const [begin, known] = [clock.now(), readModel.generationOf('org_a')];
      expect(await admit(known, known + 1)).to.include({ generation: known, isConfirmed: false });
      expect(clock.now()).to.equal(begin);
    });

    it('uses the last known one, too, if the outage begins while the caller waits for a greater one', async () => {
      const known = readModel.generationOf('org_a');
      let reads = 0;
      const generations = {
        current: async () => {
          reads += 1;
          return reads < 3 ? known : current();
        },
      };
      const admission = admissionWith(logged(), generations, () => known);
      const admitted = await admission.admit(requestOf('org_a', known + 1));
      expect(admitted).to.include({ generation: known, isConfirmed: false });
    });

    it('confirms it later, at a generation at which the key is still valid', async () => {
      const key = await putKey('org_a');
      const generation = readModel.generationOf('org_a');
      const admission = admissionWith(logged());
      expect(await admission.readmit({ key, generation })).to.equal(generation);
      await putKey('org_a', { revokedAt: 0 });
      expect(await refusalOf(admission.readmit({ key, generation }))).to.equal('unauthenticated');
    });

    it('passes the failure on if none is known', async () => {
      expect(await admit(null).catch((error: unknown) => error)).to.have.nested.property(
        'cause.message',
        'no generation',
      );
    });

    it('fails if the key was last checked at an earlier one: it may have been revoked since', async () => {
      const known = readModel.generationOf('org_a');
      const unreachable = { find: sinon.stub().rejects(new Error('no keys')) };
      unreachable.find
        .withArgs(sinon.match.any, 0)
        .callsFake((hash: string) => new MemoryApiKeyDirectory(readModel).find(hash));
      const admission = new Admissions(
        new Authentication(hasher, unreachable, { current, requireSync }, clock),
        { limit: async () => ({ admitted: true, remaining: 1, resetAt: 0 }) },
        { current, awaitCurrent: current, lastOf: () => known + 1 },
        clock,
        async () => {},
      );
      const failure = await admission.admit(requestOf('org_a')).catch((error: unknown) => error);
      expect(failure).to.have.nested.property('cause.message', 'no keys');
    });

    it('refuses an expired key', async () => {
      await putKey('org_a', { expiresAt: clock.now() + 1_000 });
      const known = readModel.generationOf('org_a');
      expect(await admit(known)).to.include({ isConfirmed: false });
      clock.advance(1_000);
      // The expiry may have been extended since. This cannot be checked now.
      expect(await admit(known).catch((error: unknown) => error)).to.have.property(
        'message',
        'no generation',
      );
    });
  });
});
