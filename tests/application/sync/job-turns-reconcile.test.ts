import { expect } from 'chai';
import sinon from 'sinon';
import { unshownRow } from '../../../src/application/sync/unshown-row.js';
import { aBlog, aKey, aTag } from '../../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { aSourceTag } from './source-terms.js';
import { WorkerUnderTest } from './worker-under-test.js';

describe('JobTurns, while it reconciles,', () => {
  let given: WorkerUnderTest;

  const run = () => given.checkStep();
  const place = async () => (await given.jobs.next(['reconcile']))?.progress ?? null;
  const checkAll = () => given.checkAll();
  const forge = (title: string, id = 'blog_0') =>
    given.readModel.write(given.epoch, {
      slices: [{ kind: 'blogs', ids: [id], rows: [aBlog({ id, title })], unshown: [] }],
      jobs: [],
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
      { kind: 'tags', ids: ['tag', 'forged'], rows: [aTag({ id: 'forged' })], unshown: [] },
      { kind: 'apiKeys', ids: ['forged'], rows: [aKey({ id: 'forged' })], unshown: [] },
    ] as const;
    await given.readModel.write(given.epoch, { slices: tooMuch, jobs: [] });

    expect(await checkAll()).to.equal(4);
    expect(given.dump()).to.eql(rows);
  });

  it('does not count as another attempt to show a row, whatever its id', async () => {
    const refused = aSourceTag({ id: 'nul\0', color: 'red' });
    given.put('tags', refused);
    await given.settle();
    const unshown = [{ ...unshownRow({ id: 'nul\x01', reason: 'for a reason' }, 7), retryAfterMs: 0 }];
    await given.readModel.write(given.epoch, {
      slices: [{ kind: 'tags', ids: [], rows: [], unshown }],
      jobs: [],
    });

    await checkAll();
    expect(await given.readModel.dueRows(10)).to.deep.equal([{ kind: 'tags', id: 'nul\x01', attempts: 7 }]);
  });

  it('begins again if its job was deleted', async () => {
    const job = await given.jobs.next(['reconcile']);
    given.jobs.update({ kind: 'finish', id: job?.id ?? 0 });
    await forge('Forged');
    await run();

    expect(await checkAll()).to.equal(1);
    expect(titleOf('blog_0')).to.equal('Title');
  });

  for (const [what, waits] of Object.entries({
    'of a row': () => given.put('blogs', aSourceBlog({ id: 'blog_1', title: 'New' })),
    'without a key': () => given.feed.add('everything', null),
    'of all API keys': () => given.feed.add('apiKeys', null),
  })) {
    it(`neither repairs nor continues while there are waiting changes ${what}`, async () => {
      await forge('Forged');
      waits();
      const before = await place();
      for (let n = 0; n < 10; n++) expect(await run()).to.equal(0);

      expect(await place()).to.eql(before);
      expect(titleOf('blog_0')).to.equal('Forged');
    });
  }

  it('neither repairs nor continues during the fan-out of a change', async () => {
    given.put('tags', aSourceTag({ id: 'tag', name: 'New' }));
    await given.applyChanges();
    await forge('Forged');
    const before = await place();
    for (let n = 0; n < 10; n++) expect(await run()).to.equal(0);

    expect(await place()).to.eql(before);
    await given.settle();
    expect(await checkAll()).to.equal(1);
  });

  it('neither repairs nor continues during a rebuild', async () => {
    await forge('Forged');
    await given.jobs.requestEverything();
    const before = await place();
    for (let n = 0; n < 10; n++) expect(await run()).to.equal(0);

    expect(await place()).to.eql(before);
  });

  it('does not write what it read before a change was committed', async () => {
    const read = given.source.read.bind(given.source);
    const comparing = sinon.stub(given.source, 'read').callsFake(async (kind, ids) => {
      const rows = await read(kind, ids);
      given.put('blogs', aSourceBlog({ id: 'blog_0', title: 'New' }));
      return rows;
    });
    await forge('Forged');
    for (let n = 0; n < 10; n++) expect(await run()).to.equal(0);
    expect(titleOf('blog_0')).to.equal('Forged');
    comparing.restore();
    await given.settle();
    expect(titleOf('blog_0')).to.equal('New');
    expect(await checkAll()).to.equal(0);
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

    // One tag, then the blogs. After the failure, each step has half of what is left of the second hundred.
    const sizes = read.args.map(([, ids]) => ids.length);
    expect(sizes.slice(0, 6)).to.eql([1, 100, 100, 50, 25, 13]);
    expect(sizes.slice(3).reduce((sum, size) => sum + size)).to.equal(153);
  });

  it('leaves rows that cannot be shown to their retries', async () => {
    const refusal = given.refuseToStore('index row size exceeds maximum', 'blog_1');
    given.put('blogs', aSourceBlog({ id: 'blog_1', title: 'New' }));
    await given.settle();
    expect(given.readModel.reasonNotToShow('blogs', 'blog_1')).to.equal('index row size exceeds maximum');
    refusal.restore();
    expect(await checkAll()).to.equal(0);
    expect(titleOf('blog_1')).to.equal(undefined);
    given.clock.advance(1_000);
    await given.settle();

    expect(titleOf('blog_1')).to.equal('New');
    expect(given.readModel.reasonNotToShow('blogs', 'blog_1')).to.equal(null);
  });
});
