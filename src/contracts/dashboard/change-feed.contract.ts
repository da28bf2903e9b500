import { expect } from 'chai';
import type { Change } from '../../domain/model/job.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';

type RowChange = Exclude<Change['kind'], 'everything'>;

export interface ChangeFeedSubject {
  /** Of a dashboard without any changes so far. */
  readonly subject: ChangeFeed;
  /** Adds a row of this kind in one commit, and returns its key. */
  add(kind: RowChange): Promise<string>;
  /** Changes the title of a blog in the same way. */
  rename(blogId: string, title: string): Promise<void>;
  remove(blogId: string): Promise<void>;
  /** Makes a change that has no key. */
  changeEverything(): Promise<void>;
}

const ALL = 1_000;
/** They keep their order among each other. */
const OTHER_KINDS: readonly RowChange[] = ['tags', 'blogs', 'organizations', 'categories', 'tags'];

export function changeFeedContract(
  runner: Runner,
  Adapter: AdapterClass<ChangeFeed>,
  makeSubject: () => Promise<ChangeFeedSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a change feed,`, () => {
    let feed: ChangeFeed;
    let given: ChangeFeedSubject;

    beforeEach(async () => {
      given = await makeSubject();
      feed = given.subject;
    });

    const changes = (limit = ALL) => feed.read(limit, async (seen) => seen);
    const taken = async (limit: number) => (await changes(limit)).map(({ kind, key }) => ({ kind, key }));
    const oldestFirst = async () =>
      (await changes()).toSorted((one, other) => Number(BigInt(one.id) - BigInt(other.id)));
    const changed = async () => (await oldestFirst()).map(({ kind, key }) => ({ kind, key }));
    const add = async (kind: RowChange) => ({ kind, key: await given.add(kind) });

    async function addEach(kinds: readonly RowChange[]) {
      const added: { kind: RowChange; key: string }[] = [];
      for (const kind of kinds) added.push(await add(kind));
      return added;
    }

    itIsTestedItself(runner, Adapter, () => feed);

    it('shows what has changed, each with an id of its own that is above those before it', async () => {
      const added = await addEach([...OTHER_KINDS, ...OTHER_KINDS.toReversed()]);
      expect(await changed()).to.deep.equal(added);
      expect(new Set((await changes()).map(({ id }) => id))).to.have.property('size', added.length);
    });

    it('reports that a row was changed and that it was deleted', async () => {
      const { kind, key } = await add('blogs');
      await given.rename(key, 'changed');
      await given.remove(key);
      expect(new Set((await changed()).map((change) => change.key))).to.deep.equal(new Set([key]));
      expect(await changed()).to.deep.equal(Array.from({ length: 3 }, () => ({ kind, key })));
    });

    it('returns a change without a key in its order', async () => {
      const before = await add('tags');
      await given.changeEverything();
      const after = await add('tags');
      expect(await changed()).to.deep.equal([before, { kind: 'everything', key: null }, after]);
    });

    it('returns no more than the limit: the oldest, the newest, the second oldest and so on', async () => {
      const added = await addEach(OTHER_KINDS);
      const inTurn = [0, 4, 1, 3, 2].map((n) => added[n]);
      for (const limit of [1, 2, 3, 4, 5, ALL]) {
        expect(await taken(limit), `limit ${limit}`).to.deep.equal(inTurn.slice(0, limit));
      }
    });

    it('begins with the other end after each acknowledgement, so that every change is alone once', async () => {
      const added = await addEach(OTHER_KINDS);
      for (const n of [0, 4, 1, 3, 2]) {
        expect(await taken(1)).to.deep.equal([added[n]]);
        await feed.acknowledge(await changes(1));
      }
      expect(await changes()).to.deep.equal([]);
    });

    it('lets neither a long queue delay a new change nor a stream of new ones the oldest', async () => {
      const waiting = await addEach(['blogs', 'blogs', 'blogs', 'tags', 'tags', 'tags']);
      const oldest: unknown[] = [];
      while (oldest.length < waiting.length) {
        const [, newest] = await addEach(['tags', 'tags']);
        const seen = await taken(2);
        expect(seen).to.deep.include(newest);
        oldest.push(...seen.filter((change) => change.key !== newest?.key));
        await feed.acknowledge(await changes(2));
      }
      expect(oldest).to.deep.equal(waiting);
    });

    it('reports whether there are changes until they are acknowledged', async () => {
      await feed.acknowledge(await changes());
      expect(await feed.hasNew()).to.equal(false);
      for (const kind of ['websites', 'apiKeys', 'tags'] as const) {
        await add(kind);
        expect(await feed.hasNew(), kind).to.equal(true);
        await feed.acknowledge(await changes());
        expect(await changes()).to.deep.equal([]);
        expect(await feed.hasNew(), kind).to.equal(false);
      }
    });

    it('gives each lane its turn, so that a stream of changes in one does not delay the others', async () => {
      const [blog, website, tag] = await addEach(['blogs', 'websites', 'tags']);
      const order: unknown[] = [];
      for (let round = 0; round < 6; round++) {
        await addEach(['apiKeys', 'apiKeys']);
        const seen = await changes(2);
        await feed.acknowledge(seen);
        order.push(seen.map(({ kind, key }) => (kind === 'apiKeys' ? kind : key)));
      }
      const keys = ['apiKeys', 'apiKeys'];
      expect(order).to.deep.equal([keys, [website?.key], [blog?.key, tag?.key], keys, keys, keys]);
    });

    it('gives API keys their turn after a read that failed', async () => {
      const [first, blog] = await addEach(['apiKeys', 'blogs']);
      expect(await taken(1)).to.deep.equal([first]);
      await feed.acknowledge(await changes(1));
      const second = await add('apiKeys');
      const failure = await feed
        .read(1, async ([change]) => Promise.reject(new Error(`cannot read ${change?.key}`)))
        .catch((error: Error) => error.message);
      expect(failure).to.equal(`cannot read ${blog?.key}`);
      expect(await taken(1)).to.deep.equal([second]);
    });

    it('shows changes of API keys before all others, and alone', async () => {
      const older = await addEach(['blogs', 'tags']);
      const firstKey = await add('apiKeys');
      await given.changeEverything();
      const [secondKey, newer, thirdKey] = [await add('apiKeys'), await add('tags'), await add('apiKeys')];
      const keys = [firstKey, thirdKey, secondKey];
      for (const limit of [1, 2, 3]) {
        expect(await taken(limit), `limit ${limit}`).to.deep.equal(keys.slice(0, limit));
      }
      expect(await changed()).to.deep.equal([firstKey, secondKey, thirdKey]);
      await feed.acknowledge(await changes(2));
      expect(await changed()).to.deep.equal([...older, { kind: 'everything', key: null }, newer]);
      await feed.acknowledge(await changes());
      expect(await changed()).to.deep.equal([secondKey]);
    });

    it('shows changes of websites before all others but those of API keys, and alone', async () => {
      const older = await addEach(['blogs', 'tags']);
      const [first, second] = await addEach(['websites', 'websites']);
      const [newer, key] = [await add('blogs'), await add('apiKeys')];
      expect(await changed()).to.deep.equal([key]);
      await feed.acknowledge(await changes());
      expect(await taken(1)).to.deep.equal([second]);
      expect(await changed()).to.deep.equal([first, second]);
      await feed.acknowledge(await changes(1));
      const third = await add('websites');
      expect(await changed()).to.deep.equal([...older, newer]);
      await feed.acknowledge(await changes());
      expect(await changed()).to.deep.equal([first, third]);
    });

    it('removes only the acknowledged changes', async () => {
      const [first, second, , fourth] = await addEach(['blogs', 'blogs', 'tags', 'categories']);
      const [, seenSecond, seenThird] = (await oldestFirst()) as [Change, Change, Change];
      await feed.acknowledge([seenThird]);
      expect(await changed()).to.deep.equal([first, second, fourth]);
      await feed.acknowledge([seenSecond, seenThird]);
      expect(await changed()).to.deep.equal([first, fourth]);
      await feed.acknowledge([]);
      expect(await changed()).to.deep.equal([first, fourth]);
      await feed.acknowledge(await changes());
      expect(await changed()).to.deep.equal([]);
      const next = await add('tags');
      expect(await changed()).to.deep.equal([next]);
    });

    it('still returns a later change of the same row after an acknowledgement', async () => {
      const blog = await add('blogs');
      const seen = await changes();
      await given.rename(blog.key, 'changed again');
      await feed.acknowledge(seen);
      expect(await changed()).to.deep.equal([blog]);
    });

    it('provides the source of the same snapshot as the changes: rows as they were then, and no later ones', async () => {
      const { key: blogId } = await add('blogs');
      const { key: goingId } = await add('blogs');
      await given.rename(blogId, 'then');
      const { count, later } = await feed.read(ALL, async (seen, source) => {
        const view = () => viewOf(source, [blogId, goingId]);
        const before = await view();
        expect(before.titles).to.include('then');
        await given.rename(blogId, 'later');
        await given.remove(goingId);
        const late = await add('blogs');
        expect(await view()).to.deep.equal(before);
        expect(await source.existing('blogs', { kind: 'everything' }, [late.key])).to.deep.equal([]);
        expect(seen.map(({ key }) => key)).not.to.include(late.key);
        return { count: seen.length, later: late };
      });
      expect((await changed()).slice(count)).to.deep.equal([
        { kind: 'blogs', key: blogId },
        { kind: 'blogs', key: goingId },
        later,
      ]);
      const now = await feed.read(ALL, async (_, source) => viewOf(source, [blogId, goingId, later.key]));
      expect(now.titles).to.include('later');
      expect(now.there).to.have.members([blogId, later.key]);
    });

    it('provides the source of the same snapshot even if it is first read after the next commit', async () => {
      const { key: blogId } = await add('blogs');
      await given.rename(blogId, 'then');
      const { titles } = await feed.read(ALL, async (_, source) => {
        await given.rename(blogId, 'later');
        return viewOf(source, [blogId]);
      });
      expect(titles).to.deep.equal(['then']);
    });

    it('fails with the error of its callback, and acknowledges nothing', async () => {
      const added = await addEach(['blogs', 'tags']);
      const failure = await feed
        .read(ALL, async () => {
          throw new Error('of the caller');
        })
        .catch((error: unknown) => error);
      expect(failure).to.have.property('message', 'of the caller');
      expect(await changed()).to.deep.equal(added);
    });
  });
}

async function viewOf(source: ContentSource, ids: readonly string[]) {
  return {
    total: await source.count('blogs'),
    keys: await source.keys('blogs', { kind: 'everything' }, null, ALL),
    there: (await source.existing('blogs', { kind: 'everything' }, ids)).toSorted(),
    titles: (await source.read('blogs', ids)).rows.map(({ title }) => title).toSorted(),
  };
}
