import { expect } from 'chai';
import sinon from 'sinon';
import { aBlog, aKey, aTag } from '../../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { aLinkedTag, aSourceTag } from './source-terms.js';
import { toTheEnd, WorkerUnderTest } from './worker-under-test.js';

describe('ReconcileReadModel', () => {
  let given: WorkerUnderTest;

  const run = () => given.checkStep();
  const place = async () => (await given.list.next(['check']))?.progress ?? null;
  const checkAll = () => given.checkAll();
  const forge = (title: string, id = 'blog_0') =>
    given.readModel.write(given.epoch, {
      slices: [{ kind: 'blogs', ids: [id], rows: [aBlog({ id, title })], refused: [] }],
      work: [],
    });
  const titleOf = (id: string) => given.titleOf(id);

  beforeEach(async () => {
    given = new WorkerUnderTest();
    for (let n = 0; n < 3; n++) given.put('blogs', aSourceBlog({ id: `blog_${n}`, title: 'Title' }));
    given.put('tags', aSourceTag({ id: 'tag' }));
    await given.settle();
  });

  it('repairs nothing, and raises no generation, if both sides are equal', async () => {
    const [rows, generations] = [given.dump(), given.generations()];

    expect(await checkAll()).to.equal(0);
    expect(given.dump()).to.eql(rows);
    expect(given.generations()).to.eql(generations);
  });

  it('repairs rows that differ, are missing or should not exist, and counts them', async () => {
    const rows = given.dump();
    await forge('Forged');
    const tooMuch = [
      { kind: 'tags', ids: ['tag', 'forged'], rows: [aTag({ id: 'forged' })], refused: [] },
      { kind: 'apiKeys', ids: ['forged'], rows: [aKey({ id: 'forged' })], refused: [] },
    ] as const;
    await given.readModel.write(given.epoch, { slices: tooMuch, work: [] });

    expect(await checkAll()).to.equal(4);
    expect(given.dump()).to.eql(rows);
  });

  it('does not repair a row whose change waits, and repairs the others', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog_1', title: 'New' }));
    given.put('apiKeys', aKey({ id: 'key' }));
    await forge('Forged');

    expect(await checkAll()).to.equal(1);
    expect(['blog_0', 'blog_1'].map(titleOf)).to.eql(['Title', 'Title']);
    expect(given.idsOf('apiKeys')).to.eql([]);
  });

  it('does not repair rows that depend on another one while a change of that row or its fan-out waits', async () => {
    for (let n = 0; n < 3; n++) {
      const tags = n === 2 ? [] : [aLinkedTag({ id: 'tag', name: 'New' })];
      given.source.put('blogs', aSourceBlog({ id: `blog_${n}`, title: 'Title', tags }));
    }
    given.put('tags', aSourceTag({ id: 'tag', name: 'New' }));
    await forge('Forged', 'blog_2');
    expect(await checkAll(), 'a change').to.equal(1);
    await given.applyChanges();
    await forge('Forged', 'blog_2');
    expect(await checkAll(), 'work').to.equal(1);

    await given.settle();
    expect(await checkAll(), 'nothing').to.equal(0);
    expect(given.readModel.rows('blogs').map(({ tags }) => tags.map(({ name }) => name))).to.eql([
      ['New'],
      ['New'],
      [],
    ]);
  });

  for (const [what, waits] of Object.entries({
    'without a key': () => given.feed.add('everything', null),
    'of all API keys': () => given.feed.add('apiKeys', null),
    'in too large a number': () => {
      for (let n = 0; n <= 5_000; n++) given.feed.add('blogs', 'blog_1');
    },
  })) {
    it(`neither repairs nor continues while there are waiting changes ${what}`, async () => {
      await forge('Forged');
      waits();
      const before = await place();
      for (let n = 0; n < 10; n++) expect(await run()).to.equal(0);

      expect(await place()).to.eql(before);
    });
  }

  it('neither repairs nor continues during a rebuild', async () => {
    await forge('Forged');
    await given.list.requestEverything();
    const before = await place();
    for (let n = 0; n < 10; n++) expect(await run()).to.equal(0);

    expect(await place()).to.eql(before);
  });

  it('finishes even if changes never pause', async () => {
    await forge('Forged');
    const { id } = (await given.list.next(['check'])) ?? {};
    let repaired = 0;
    let version = 0;
    await toTheEnd(async () => {
      given.put('blogs', aSourceBlog({ id: 'blog_1', title: `Version ${version++}` }));
      given.put('tags', aSourceTag({ id: 'tag', name: `Version ${version}` }));
      await given.worker.step(given.epoch);
      given.put('blogs', aSourceBlog({ id: 'blog_1', title: `Version ${version++}` }));
      repaired += await run();
      return (await given.list.next(['check']))?.id === id;
    });

    expect(repaired).to.equal(1);
    expect(titleOf('blog_0')).to.equal('Title');
  });

  it('does not repair a row whose change is committed during the comparison', async () => {
    const { id } = (await given.list.next(['check'])) ?? {};
    let version = 0;
    await toTheEnd(async () => {
      version++;
      const snapshot = given.source.snapshot();
      const comparing = sinon.stub(given.source, 'snapshot').callsFake(() => {
        given.put('blogs', aSourceBlog({ id: 'blog_0', title: `Version ${version}` }));
        return snapshot;
      });
      expect(await run(), `version ${version}`).to.equal(0);
      comparing.restore();
      await given.settle();
      expect(titleOf('blog_0')).to.equal(`Version ${version}`);
      return (await given.list.next(['check']))?.id === id;
    });
  });

  it('compares at most 100 rows at a time, and continues where it stopped', async () => {
    for (let n = 0; n < 250; n++) given.put('blogs', aSourceBlog({ id: `more_${n}` }));
    await given.settle();
    const read = sinon.stub(given.source, 'read').callThrough();
    sinon.stub(given.source, 'snapshot').returns(given.source);
    read.onCall(2).rejects(new Error('connection lost'));
    const failure = await checkAll().catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'connection lost');
    await checkAll();

    // One tag, then the blogs. Half of the second hundred is read twice.
    expect(read.args.map(([, ids]) => ids.length)).to.eql([1, 100, 100, 50, 100, 3]);
  });

  it('retries quarantined rows, even without a change', async () => {
    const refusal = given.refuseToStore('index row size exceeds maximum', 'blog_1');
    given.put('blogs', aSourceBlog({ id: 'blog_1', title: 'New' }));
    await given.settle();
    expect(given.readModel.reasonNotToShow('blogs', 'blog_1')).to.equal('index row size exceeds maximum');
    await checkAll();
    expect(given.metrics.of('row-quarantined'), 'reported again').to.equal(2);
    refusal.restore();
    await checkAll();

    expect(titleOf('blog_1')).to.equal('New');
    expect(given.readModel.reasonNotToShow('blogs', 'blog_1')).to.equal(null);
  });
});
