import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import type { RowKind } from '../../../src/domain/model/read-model.js';
import { aLinkedTag, aSourceTag } from './source-terms.js';
import { toTheEnd, WorkerUnderTest } from './worker-under-test.js';

const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];

describe('JobTurns, for a fill or a rebuild,', () => {
  let given: WorkerUnderTest;

  const jobTurns = () => toTheEnd(() => given.runJob());
  const rebuild = async () => {
    await given.jobs.requestEverything();
    await jobTurns();
  };
  const putBlogs = (count: number) => {
    for (let n = 0; n < count; n++) given.source.put('blogs', aSourceBlog({ id: `blog_${n}` }));
  };
  const putOneOfEach = () => {
    given.source.put('apiKeys', aKey({ id: 'key' }));
    given.source.put('categories', aSourceCategory({ id: 'category' }));
    given.source.put('tags', aSourceTag({ id: 'tag' }));
    given.source.put('blogs', aSourceBlog({ id: 'blog' }));
  };
  const sizesOf = (read: sinon.SinonSpy<[RowKind, readonly string[]]>) =>
    read.args.map(([, ids]) => ids.length);

  beforeEach(() => {
    given = new WorkerUnderTest();
  });

  it('fills an empty read model with everything that is shown, and then has nothing to do', async () => {
    putOneOfEach();
    given.source.put('blogs', aSourceBlog({ id: 'draft', status: 'draft' }));
    await jobTurns();

    expect(KINDS.map((kind) => given.idsOf(kind))).to.eql([['key'], ['category'], ['tag'], ['blog']]);
    expect(await given.runJob()).to.equal(false);
  });

  it('deletes rows of every kind that are gone, and rows that are no longer shown', async () => {
    putOneOfEach();
    given.source.put('blogs', aSourceBlog({ id: 'archived' }));
    await jobTurns();
    given.source.put('blogs', aSourceBlog({ id: 'archived', status: 'archived' }));
    for (const kind of KINDS) {
      for (const id of ['key', 'category', 'tag', 'blog']) given.source.remove(kind, id);
    }
    await rebuild();

    expect(KINDS.flatMap((kind) => given.idsOf(kind))).to.eql([]);
  });

  it('deletes more rows than fit into one step in several steps', async () => {
    putBlogs(8100);
    await jobTurns();
    for (let n = 0; n < 8100; n++) if (n % 2000 !== 0) given.source.remove('blogs', `blog_${n}`);
    const existing = sinon.spy(given.source, 'existing');
    await rebuild();

    expect(given.idsOf('blogs')).to.have.members([0, 1, 2, 3, 4].map((n) => `blog_${n * 2000}`));
    expect(existing.args.map(([, , ids]) => ids.length)).to.eql([8000, 100]);
  });

  it('reads at most 1,000 rows at a time, and skips none between two steps', async () => {
    putBlogs(2001);
    const read = sinon.spy(given.source, 'read');
    await jobTurns();

    expect(sizesOf(read)).to.eql([1000, 1000, 1]);
    expect(given.idsOf('blogs')).to.have.lengthOf(2001);
  });

  it('takes fewer rows after each failure, down to a single row', async () => {
    for (let n = 0; n < 3000; n++) given.source.put('blogs', aSourceBlog({ id: idOf(n) }));
    const read = sinon.stub(given.source, 'read').callThrough();
    read.withArgs('blogs', sinon.match.array.startsWith([idOf(0)])).rejects(new Error('invalid page'));
    await toTheEnd(async () => {
      await given.runJob();
      return (await given.jobs.next(['everything'])) !== null;
    });

    expect(sizesOf(read).slice(0, 10)).to.eql([1000, 500, 250, 125, 62, 31, 15, 7, 3, 1]);
    expect(given.idsOf('blogs')).to.have.lengthOf(2999);
  });

  it('continues after the last row of a read that was cut short', async () => {
    putBlogs(7);
    given.readAtMost(3);
    await jobTurns();

    expect(given.idsOf('blogs')).to.have.lengthOf(7);
  });

  it('records its progress and the total', async () => {
    putBlogs(2001);
    const seen: string[] = [];
    await toTheEnd(async () => {
      const { progress } = (await given.jobs.next(['everything'])) ?? {};
      if (progress?.total) seen.push(`${progress.done}/${progress.total}`);
      return given.runJob();
    });

    expect(seen).to.eql(['1000/2001', '2000/2001', '2001/2001']);
  });

  it('stores its progress together with its rows, never one without the other', async () => {
    putBlogs(300);
    const write = sinon.spy(given.readModel, 'write');
    await jobTurns();

    for (const [, { slices, jobs }] of write.args) {
      expect(jobs, 'each step advances').to.have.lengthOf(1);
      expect(slices.length).to.be.most(1);
    }
  });

  it('passes errors on, and the next leader continues from there', async () => {
    putBlogs(4400);
    const read = sinon.stub(given.source, 'read').callThrough();
    read.onSecondCall().rejects(new Error('connection lost'));
    const failure = await jobTurns().catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'connection lost');
    expect(given.idsOf('blogs')).to.have.lengthOf(1000);

    given.leadAgain();
    const next = given.newJobTurns();
    await toTheEnd(() => next.step(given.epoch, 1_000));
    expect(given.idsOf('blogs')).to.have.lengthOf(4400);
    const sizes = sizesOf(read);
    expect(sizes.slice(0, 5)).to.eql([1000, 1000, 500, 250, 125]);
    expect(sizes.slice(2).reduce((sum, size) => sum + size)).to.equal(3400);
  });

  it('treats a row as deleted that disappears between the reads of its key and of the row', async () => {
    putBlogs(2);
    await jobTurns();
    const keys = given.source.keys.bind(given.source);
    sinon.stub(given.source, 'keys').callsFake(async (...args) => {
      const found = await keys(...args);
      given.source.remove('blogs', 'blog_0');
      return found;
    });
    await rebuild();

    expect(given.idsOf('blogs')).to.eql(['blog_1']);
  });
});

describe('JobTurns, for jobs that wait for others of their lane,', () => {
  let given: WorkerUnderTest;
  const OLD = 20;
  /** For each side, one with all rows and one that finds no more. */
  const STEPS_OF_A_TAG = 4;
  const rename = (id: string) =>
    given.update.write(given.epoch, {
      slices: [],
      jobs: [{ kind: 'add', scope: { kind: 'tags', keys: [id] } }],
    });
  const unfinished = async () =>
    (await given.jobs.unfinished(['tags'])).flatMap(({ scope }) => ('keys' in scope ? scope.keys : []));

  beforeEach(async () => {
    given = new WorkerUnderTest();
    for (let tag = 0; tag <= OLD; tag++) {
      const tags = [aLinkedTag({ id: `tag_${tag}` })];
      for (let n = 0; n < 3; n++) given.source.put('blogs', aSourceBlog({ id: `blog_${tag}_${n}`, tags }));
    }
    await toTheEnd(() => given.runJob());
    for (let tag = 0; tag < OLD; tag++) await rename(`tag_${tag}`);
  });

  const runUntilOver = async (id: string, meanwhile: () => Promise<unknown> = async () => {}) => {
    let steps = 0;
    for (; (await unfinished()).includes(id); steps++) {
      await given.jobTurns.step(given.epoch, 0);
      await meanwhile();
    }
    return steps;
  };

  it('ends the newest when each other one has had one turn, however many wait', async () => {
    await rename(`tag_${OLD}`);
    expect(await runUntilOver(`tag_${OLD}`)).to.be.at.most((OLD + 1) * STEPS_OF_A_TAG);
  });

  it('ends the oldest in twice as many steps as they have, however many new ones arrive', async () => {
    let arrived = 0;
    const steps = await runUntilOver('tag_4', () => rename(`new_${arrived++}`));
    await toTheEnd(() => given.runJob());
    expect(steps).to.be.within(5 * STEPS_OF_A_TAG, 2 * 5 * STEPS_OF_A_TAG);
    expect(await unfinished()).to.eql([]);
  });
});

describe('The next rows of a rebuild', () => {
  const STEP = 1_000;
  let given: WorkerUnderTest;
  const blog = (n: number) => aSourceBlog({ id: idOf(n) });
  /** Now and then, the leader also writes that it still leads. */
  const untilBlogs = async (count: number) => {
    while (given.idsOf('blogs').length < count) {
      await given.runJob();
      await given.update.write(given.epoch, { slices: [], jobs: [] });
    }
  };

  beforeEach(() => {
    given = new WorkerUnderTest();
    for (let n = 0; n < 3 * STEP; n++) given.source.put('blogs', blog(n));
  });

  it('are read while the previous ones are written, and only once', async () => {
    const read = sinon.spy(given.source, 'read');
    const ofBlogs = () => read.args.flatMap(([kind, ids]) => (kind === 'blogs' ? [ids.length] : []));
    await untilBlogs(STEP);
    expect(ofBlogs()).to.eql([STEP, STEP]);
    await untilBlogs(3 * STEP);
    expect(ofBlogs()).to.eql([STEP, STEP, STEP]);
  });

  it('never overwrite what a change has written since', async () => {
    await untilBlogs(STEP);
    given.put('blogs', { ...blog(STEP + 1), title: 'Second' });
    await given.applyChanges();
    await untilBlogs(3 * STEP);
    const row = given.readModel.rows('blogs').find(({ id }) => id === idOf(STEP + 1));
    expect(row?.title).to.equal('Second');
  });

  it('fail in their own step if they cannot be read, not in the previous one', async () => {
    sinon.stub(given.source, 'read').callThrough().onSecondCall().rejects(new Error('invalid page'));
    const failures = () => given.metrics.of('job-failed');
    await untilBlogs(STEP);
    expect(failures()).to.equal(0);
    await untilBlogs(3 * STEP);
    expect(failures()).to.equal(1);
  });
});

function idOf(n: number): string {
  return `blog_${String(n).padStart(5, '0')}`;
}
