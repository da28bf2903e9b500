import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { KindFails, RowRefused } from '../../../src/domain/errors.js';
import { aSourceTag } from './source-terms.js';
import { OUTAGE, WorkerUnderTest } from './worker-under-test.js';

const MINUTE = 60_000;

describe('A job that cannot succeed', () => {
  let given: WorkerUnderTest;

  beforeEach(() => {
    given = new WorkerUnderTest();
    sinon.stub(given.source, 'snapshot').returns(given.source);
  });

  const putBlogs = (count: number) => {
    const tag = aSourceTag({ id: 'tag' });
    given.source.put('tags', tag);
    for (let n = 0; n < count; n++) given.source.put('blogs', aSourceBlog({ id: idOf(n), tags: [tag] }));
  };
  const idOf = (n: number) => `blog_${String(n).padStart(4, '0')}`;
  /** From now on, every read of one of these rows fails. */
  const breakReading = (...broken: readonly string[]) => {
    const read = given.source.read.bind(given.source);
    return sinon.stub(given.source, 'read').callsFake(async (kind, ids) => {
      if (ids.some((id) => broken.includes(id))) throw new Error('invalid page in block 7');
      return read(kind, ids);
    });
  };
  const unshownBlogs = () => given.readModel.unshownIds('blogs');
  const settleFor = async (milliseconds: number) => {
    for (let passed = 0; passed <= milliseconds; passed += 1_000) {
      await given.settle();
      given.clock.advance(1_000);
    }
  };
  const failures = () => given.metrics.of('job-failed');

  it('skips the one row that fails, continues after it, and retries it later', async () => {
    putBlogs(600);
    const broken = breakReading(idOf(300));
    await given.settle();

    expect(given.idsOf('blogs')).to.have.lengthOf(599).and.not.include(idOf(300));
    expect(await given.jobs.next(['everything']), 'the fill has finished').to.equal(null);
    expect(unshownBlogs()).to.eql([idOf(300)]);
    broken.restore();
    given.clock.advance(MINUTE);
    await given.settle();
    expect(given.idsOf('blogs')).to.include(idOf(300));
    expect(unshownBlogs()).to.eql([]);
  });

  it('skips the rows that fail, although the first ones are drafts and one of these fails too', async () => {
    putBlogs(1_000);
    for (let n = 5; n < 120; n++) given.source.put('blogs', aSourceBlog({ id: idOf(n), status: 'draft' }));
    const broken = [0, 1, 2, 3, 4, 800].map(idOf);
    breakReading(...broken);
    await settleFor(MINUTE);

    expect(given.idsOf('blogs')).to.have.lengthOf(1_000 - 115 - broken.length);
    expect(unshownBlogs()).to.have.members(broken);
  });

  it('fills the kinds after one whose only rows fail, which is requested again', async () => {
    for (const id of ['tag_a', 'tag_b']) given.source.put('tags', aSourceTag({ id }));
    for (let n = 0; n < 9; n++) given.source.put('blogs', aSourceBlog({ id: idOf(n) }));
    breakReading('tag_a', 'tag_b');
    await given.settle();

    expect(given.idsOf('blogs')).to.have.lengthOf(9);
    expect(given.readModel.unshownIds('tags')).to.eql([]);
    expect(await given.jobs.unfinished(['allTags'])).to.have.lengthOf(1);
    expect(await given.jobs.unfinished(['everything'])).to.eql([]);
  });

  it('skips the last row of a kind whose others are unshown', async () => {
    const ids = ['tag_a', 'tag_b', 'tag_c', 'tag_d', 'tag_e', 'tag_f'];
    for (const id of ids) given.source.put('tags', aSourceTag({ id }));
    await given.settle();
    for (const [index, id] of ids.entries()) {
      const broken = breakReading(...ids.slice(0, index + 1));
      given.put('tags', aSourceTag({ id }));
      await given.settle();
      broken.restore();
    }

    expect(given.readModel.unshownIds('tags')).to.have.members(ids);
  });

  it('loses no revocation beside a hundred keys that fail', async () => {
    const keyOf = (n: number) => `key_${String(n).padStart(3, '0')}`;
    for (let n = 0; n < 130; n++) given.source.put('apiKeys', aKey({ id: keyOf(n) }));
    await given.settle();
    breakReading(...Array.from({ length: 110 }, (_, n) => keyOf(n)));
    given.put('apiKeys', aKey({ id: keyOf(0) }));
    await given.settle();
    given.put('apiKeys', aKey({ id: keyOf(1) }), aKey({ id: keyOf(120), revokedAt: 1 }));
    await given.settle();

    const revoked = given.readModel.rows('apiKeys').filter(({ revokedAt }) => revokedAt === 1);
    expect(revoked.map(({ id }) => id)).to.deep.equal([keyOf(120)]);
  });

  it('refuses a key that may be revoked, and no other, for a right that only changed rows need', async () => {
    for (const id of ['key_a', 'key_b', 'key_c']) given.source.put('apiKeys', aKey({ id }));
    await given.settle();
    const write = given.readModel.write.bind(given.readModel);
    const lost = sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      if (update.slices.some(({ rows }) => rows.some(({ id }) => id === 'key_b')))
        throw new KindFails('42501: permission denied for table organizations');
      return write(epoch, update);
    });
    given.put('apiKeys', aKey({ id: 'key_b', revokedAt: 1 }));
    await settleFor(MINUTE);
    expect(given.idsOf('apiKeys')).to.eql(['key_a', 'key_c']);
    expect(given.readModel.unshownIds('apiKeys')).to.eql(['key_b']);
    lost.restore();
    await settleFor(6_000);

    expect(given.readModel.rows('apiKeys').find(({ id }) => id === 'key_b')?.revokedAt).to.equal(1);
  });

  it('is reported in the log, by a metric, and with the reason', async () => {
    putBlogs(2);
    breakReading(idOf(0));
    await given.settle();

    expect(failures()).to.be.above(0);
    const line = given.log.lines.find(({ message }) => message.includes('rows cannot be shown'));
    expect(line?.details).to.include({ kind: 'blogs', reason: 'invalid page in block 7' });
    expect(given.readModel.reasonNotToShow('blogs', idOf(0))).to.equal('invalid page in block 7');
  });

  it('leaves totals unchanged that cannot be counted in time, and counts the others', async () => {
    const counted = new Set<string>();
    for (const organizationId of ['a', 'b', 'c'])
      given.source.put('apiKeys', aKey({ id: organizationId, organizationId }));
    const write = given.readModel.write.bind(given.readModel);
    sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      const ids = update.recount ?? [];
      if (ids.includes('b')) throw new Error('canceling statement due to statement timeout');
      for (const organizationId of ids) counted.add(organizationId);
      return write(epoch, update);
    });
    await given.settle();

    expect([...counted]).to.eql(['a', 'c']);
    expect(await given.jobs.next(['everything']), 'the fill has finished').to.equal(null);
  });

  const waits = async (isDue: () => Promise<boolean>, count: number) => {
    const waited: number[] = [];
    for (let tries = 0; tries < count; tries++) {
      let wait = 0;
      for (; !(await isDue()); wait += 1_000) given.clock.advance(1_000);
      waited.push(wait);
      await given.settle();
    }
    return waited;
  };

  it('is retried less and less often, and finally every five seconds', async () => {
    putBlogs(1);
    await given.settle();
    sinon.stub(given.source, 'keys').rejects(new KindFails('permission denied for table websites'));
    given.feed.add('websites', 'web_a1');
    await given.settle();
    expect(await given.jobs.unfinished(['websites']), 'leaves it to the requests').to.eql([]);
    const isDue = async () => (await given.jobs.next(['allBlogs'])) !== null;
    expect(await waits(isDue, 5)).to.eql([1, 2, 4, 5, 5].map((wait) => wait * 1_000));
  });

  it('has its row retried less and less often, and finally every minute', async () => {
    putBlogs(2);
    breakReading(idOf(0));
    await given.settle();
    const isDue = async () => (await given.readModel.dueRows(1)).length > 0;
    expect(await waits(isDue, 8)).to.eql([1, 2, 4, 8, 16, 32, 60, 60].map((wait) => wait * 1_000));
  });

  it('blocks no other job: fan-outs and a rebuild continue beside a fan-out whose keys cannot be read', async () => {
    putBlogs(3);
    await given.settle();
    const keys = given.source.keys.bind(given.source);
    sinon.stub(given.source, 'keys').callsFake(async (kind, scope, after, limit) => {
      if (scope.kind === 'websites') throw new Error('permission denied for table websites');
      return keys(kind, scope, after, limit);
    });
    given.feed.add('websites', 'web_a1');
    await given.settle();
    given.put('tags', aSourceTag({ id: 'tag', name: 'New name' }));
    for (let n = 0; n < 3; n++) {
      const tags = [aSourceTag({ id: 'tag', name: 'New name' })];
      given.source.put('blogs', aSourceBlog({ id: idOf(n), tags }));
    }
    const rebuild = await given.jobs.requestEverything();
    await given.settle();

    expect(given.readModel.rows('blogs').map(({ tags }) => tags[0]?.name)).to.eql(Array(3).fill('New name'));
    expect(await given.jobs.find(rebuild)).to.equal(null);
  });

  it('does not stop it from reconciling, which leaves its row to later attempts', async () => {
    putBlogs(250);
    await given.settle();
    const broken = breakReading(idOf(120));
    given.source.put('blogs', aSourceBlog({ id: idOf(120), title: 'New' }));
    for (let n = 0; n < 50; n++) await given.checkStep();
    expect(unshownBlogs()).to.eql([idOf(120)]);
    expect(given.titleOf(idOf(120)), 'as it was').not.to.equal('New');
    broken.restore();
    expect(await given.checkAll(), 'no difference is a bug').to.equal(0);
    given.clock.advance(60_000);
    await given.settle();
    expect(unshownBlogs()).to.eql([]);
    expect(given.titleOf(idOf(120))).to.equal('New');
  });

  it('returns to large steps after the row that fails', async () => {
    putBlogs(2_000);
    const read = breakReading(idOf(100));
    await given.settle();
    expect(read.lastCall.args[1].length).to.be.above(100);
    expect(read.callCount).to.be.below(60);
  });

  describe('if no row of a kind can be read', () => {
    const ALL = Array.from({ length: 1_000 }, (_, n) => idOf(n));

    it('waits, has no row retried alone, and goes on when the rows can be read', async () => {
      putBlogs(1_000);
      const broken = breakReading(...ALL);
      await given.settle();
      expect(unshownBlogs()).to.eql([]);
      expect(broken.callCount).to.be.below(130);
      expect(await given.jobs.next(['allBlogs']), 'waits').to.equal(null);
      expect(await given.jobs.unfinished(['allBlogs']), 'and is unfinished').to.have.lengthOf(1);
      broken.restore();
      given.clock.advance(MINUTE);
      await given.settle();
      expect(given.idsOf('blogs')).to.have.lengthOf(1_000);
    });
  });

  it('has rows deleted that are refused, but not the hundreds that are refused', async () => {
    putBlogs(1_000);
    await given.settle();
    given.failToRead(new RowRefused('value "a1" is out of range'), idOf(1));
    given.put('blogs', aSourceBlog({ id: idOf(1), title: 'New' }));
    await given.settle();
    expect(given.idsOf('blogs')).to.have.lengthOf(999);
    expect(given.readModel.reasonNotToShow('blogs', idOf(1))).to.contain('"a1" is out of range');

    for (let n = 500; n < 1_000; n++)
      given.source.put('blogs', aSourceBlog({ id: idOf(n), publishedAt: null }));
    for (let n = 500; n < 650; n++) given.feed.add('blogs', idOf(n));
    await given.settle();
    expect(given.idsOf('blogs')).to.have.lengthOf(999);
    expect(unshownBlogs()).to.have.lengthOf(151);
    given.feed.add('blogs', idOf(650));
    await given.settle();
    expect(given.idsOf('blogs'), 'also one after the other').to.have.lengthOf(999);
  });

  it('has no more rows than a hundred deleted, whatever the servers say of each', async () => {
    putBlogs(400);
    await given.settle();
    for (let n = 0; n < 150; n++) {
      const failing = given.failToRead(new RowRefused(`not ${'x'.repeat(n)}`), idOf(n));
      given.feed.add('blogs', idOf(n));
      await given.settle();
      failing.restore();
    }
    expect(given.idsOf('blogs')).to.have.lengthOf(300);
    expect(unshownBlogs()).to.have.lengthOf(150);
  });

  it('never keeps a key valid, however many are refused', async () => {
    for (let n = 0; n < 150; n++) given.put('apiKeys', aKey({ id: idOf(n), hash: `hash_${n}` }));
    await given.settle();
    const tooLong = 'x'.repeat(501);
    for (let n = 0; n < 150; n++) given.put('apiKeys', aKey({ id: idOf(n), hash: tooLong, revokedAt: 1 }));
    await given.settle();
    expect(given.idsOf('apiKeys')).to.eql([]);
  });

  describe('among changes', () => {
    beforeEach(async () => {
      await given.settle();
    });

    it('affects one change, and all others are applied', async () => {
      const broken = breakReading(idOf(57));
      for (let n = 0; n < 300; n++) given.put('blogs', aSourceBlog({ id: idOf(n) }));
      await given.settle();

      expect(given.idsOf('blogs')).to.have.lengthOf(299).and.not.include(idOf(57));
      expect(await given.waitingChanges()).to.eql([]);
      expect(unshownBlogs()).to.eql([idOf(57)]);
      broken.restore();
      given.clock.advance(MINUTE);
      await given.settle();
      expect(given.idsOf('blogs')).to.include(idOf(57));
    });

    it('delays no revocation', async () => {
      given.put('apiKeys', aKey({ id: 'key' }), aKey({ id: 'broken', hash: 'b' }));
      await given.settle();
      breakReading('broken', idOf(0));
      given.put('blogs', aSourceBlog({ id: idOf(0) }));
      given.put(
        'apiKeys',
        aKey({ id: 'broken', hash: 'b', revokedAt: 1 }),
        aKey({ id: 'key', revokedAt: 1 }),
      );
      await given.settle();
      const key = given.readModel.rows('apiKeys').find(({ id }) => id === 'key');
      expect(key?.revokedAt).to.equal(1);
    });

    it('still causes its fan-out', async () => {
      const tag = aSourceTag({ id: 'tag' });
      given.put('tags', tag);
      given.put('blogs', aSourceBlog({ id: idOf(0), tags: [tag] }));
      await given.settle();
      breakReading('tag');
      given.put('tags', { ...tag, name: 'New name' });
      given.source.put('blogs', aSourceBlog({ id: idOf(0), tags: [{ ...tag, name: 'New name' }] }));
      await given.settle();
      expect(given.readModel.rows('blogs')[0]?.tags[0]?.name).to.equal('New name');
    });

    it('hides a website from its former owner as soon as the remaining job starts', async () => {
      given.put('blogs', aSourceBlog({ id: idOf(0) }));
      await given.settle();
      given.source.put('blogs', aSourceBlog({ id: idOf(0), organizationId: 'org_b' }));
      given.feed.add('websites', 'web_a1');
      const owners = sinon.stub(given.source, 'owners').rejects(new Error('invalid page in block 7'));
      await given.applyChanges();
      owners.restore();
      breakReading(idOf(0));

      await given.runJob();
      expect(await given.readModel.hiddenWebsites()).to.eql(['web_a1']);
    });
  });

  it('is distinguished from an unavailable server, which is no failure of the job', async () => {
    putBlogs(3);
    const read = sinon.stub(given.source, 'read').rejects(new Error(OUTAGE));
    const failure = await given.settle().catch((error: unknown) => error);
    expect(failure).to.have.property('message', OUTAGE);
    read.restore();
    expect((await given.jobs.next(['everything']))?.attempts).to.equal(0);
    expect(failures()).to.equal(0);
  });
});
