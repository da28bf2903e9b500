import { expect } from 'chai';
import { LeadershipLost } from '../../domain/errors.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { eventually } from '../support/eventually.js';
import { freshId } from '../support/fresh-id.js';
import { aTag } from '../support/rows.js';

/** A worker: its leadership, and the writer that it uses while it leads. */
export interface LeadershipWorker {
  readonly leadership: Leadership;
  readonly writer: ReadModelWriter;
}

export interface LeadershipSubject {
  /** Another worker on the same read model. No worker leads it when the test begins. */
  newWorker(): LeadershipWorker;
  /** Lets this much time pass since the leader wrote. */
  advance(millis: number): Promise<void>;
  /** A leader that has not written for longer is considered frozen. */
  readonly leaderTimeoutMs: number;
}

export function leadershipContract(
  runner: Runner,
  Adapter: AdapterClass<Leadership>,
  makeSubject: () => Promise<LeadershipSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a leadership,`, () => {
    let newWorker: LeadershipSubject['newWorker'];
    let advance: LeadershipSubject['advance'];
    let leaderTimeoutMs: number;

    beforeEach(async () => {
      ({ newWorker, advance, leaderTimeoutMs } = await makeSubject());
    });

    async function newLeader(): Promise<LeadershipWorker & { readonly epoch: number }> {
      const worker = newWorker();
      return { ...worker, epoch: await claimed(worker) };
    }

    itIsTestedItself(runner, Adapter, () => newWorker().leadership);

    it('gives leadership to one of many concurrent claims', async () => {
      const workers = Array.from({ length: 8 }, newWorker);
      const claims = await Promise.all(workers.map(({ leadership }) => leadership.claim(null)));
      const epochs = claims.filter((epoch) => epoch !== null);
      expect(epochs).to.have.length(1);
      const leader = workers[claims.findIndex((epoch) => epoch !== null)] as LeadershipWorker;
      await write(leader, epochs[0] ?? 0);
    });

    it('gives no other worker leadership while the leader writes, however long', async () => {
      const { epoch, ...leader } = await newLeader();
      const standbys = [newWorker(), newWorker()];
      for (let n = 0; n < 5; n++) {
        await advance(leaderTimeoutMs * 0.7);
        await write(leader, epoch);
        for (const { leadership } of standbys) expect(await leadership.claim(null)).to.equal(null);
      }
    });

    it('replaces a leader that has not written for too long, under a higher epoch', async () => {
      const frozen = await newLeader();
      await advance(leaderTimeoutMs * 1.1);
      const next = newWorker();
      const epoch = await claimed(next);
      expect(epoch).to.be.greaterThan(frozen.epoch);
      await write(next, epoch);
    });

    it('refuses the writes of a replaced leader and changes nothing', async () => {
      const { epoch, ...frozen } = await newLeader();
      await write(frozen, epoch);
      await advance(leaderTimeoutMs * 1.1);
      const next = newWorker();
      const nextEpoch = await claimed(next);
      const ids = await expectRefused(frozen, epoch);
      expect(await keysLike(next, ids)).to.deep.equal([]);
      // Another worker's epoch neither restores its leadership nor ends the other one's.
      await write(next, nextEpoch);
      expect(await frozen.leadership.claim(null)).to.equal(null);
    });

    it('considers a new leader alive from the beginning of its epoch', async () => {
      await newLeader();
      await advance(leaderTimeoutMs * 1.1);
      const next = newWorker();
      const epoch = await claimed(next);
      expect(await newWorker().leadership.claim(null)).to.equal(null);
      await advance(leaderTimeoutMs * 0.7);
      expect(await newWorker().leadership.claim(null)).to.equal(null);
      await write(next, epoch);
    });

    it('begins a new epoch for a leader that claims again, and ends its old one', async () => {
      const { epoch, ...leader } = await newLeader();
      const again = await claimed(leader);
      expect(again).to.be.greaterThan(epoch);
      await write(leader, again);
      await expectRefused(leader, epoch);
      await write(leader, again);
    });

    it('increases the epoch with every claim that succeeds, whichever worker leads', async () => {
      const epochs: number[] = [];
      for (let n = 0; n < 3; n++) {
        const { epoch, ...leader } = await newLeader();
        epochs.push(epoch, await claimed(leader));
        await advance(leaderTimeoutMs * 1.1);
      }
      expect(epochs).to.deep.equal([...new Set(epochs)].toSorted((a, b) => a - b));
      expect(epochs).to.satisfy((numbers: number[]) => numbers.every(Number.isSafeInteger));
    });
  });
}

/** A leader that does not write is replaced soon, though its successor may claim twice. */
export function claimed({ leadership }: Pick<LeadershipWorker, 'leadership'>): Promise<number> {
  return eventually(async () => {
    const epoch = await leadership.claim(null);
    if (epoch === null) throw new Error('Another worker leads');
    return epoch;
  });
}

/** Writes a new row and returns its id. */
export async function write({ writer }: Pick<LeadershipWorker, 'writer'>, epoch: number): Promise<string> {
  const id = freshId('tag');
  await attempt(writer, epoch, id);
  expect(await writer.keys('tags', { kind: 'everything' }, id.slice(0, -1), 1)).to.deep.equal([id]);
  return id;
}

/** Returns the ids of the rows that it tried to write: an ended connection may notice late. */
export async function expectRefused(
  { writer }: Pick<LeadershipWorker, 'writer'>,
  epoch: number,
): Promise<string[]> {
  const ids: string[] = [];
  const written: string[] = [];
  await eventually(async () => {
    const id = freshId('tag');
    ids.push(id);
    const failure = await attempt(writer, epoch, id).catch((error: unknown) => error);
    if (failure === undefined) written.push(id);
    expect(failure).to.be.instanceOf(LeadershipLost);
  });
  expect(written).to.deep.equal([]);
  return ids;
}

async function attempt(writer: ReadModelWriter, epoch: number, id: string): Promise<void> {
  const slice = { kind: 'tags', ids: [id], rows: [aTag({ id })], unshown: [] } as const;
  await writer.write(epoch, { slices: [slice], jobs: [] });
}

async function keysLike({ writer }: LeadershipWorker, ids: readonly string[]): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const id of ids) {
    keys.push(
      ...(await writer.keys('tags', { kind: 'everything' }, id.slice(0, -1), 1)).filter((key) => key === id),
    );
  }
  return keys;
}
