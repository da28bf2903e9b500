import { expect } from 'chai';
import sinon from 'sinon';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { WorkerUnderTest } from './worker-under-test.js';

/** The size of a step of new rows. */
const STEP = 1_000;

describe('A row that a walk has read ahead', () => {
  let given: WorkerUnderTest;
  const reads = () => sinon.spy(given.source, 'read');
  const blogsReadBy = (read: ReturnType<typeof reads>) =>
    read.args.flatMap(([kind, ids]) => (kind === 'blogs' ? [ids.length] : []));
  const put = (n: number, title: string) => given.put('blogs', aSourceBlog({ id: idOf(n), title }));
  const titleOf = (n: number) => given.titleOf(idOf(n));
  const untilBlogs = async (count: number) => {
    while (given.idsOf('blogs').length < count) await given.runJob();
  };

  beforeEach(() => {
    given = new WorkerUnderTest();
    for (let n = 0; n < 3 * STEP; n++) {
      const websiteId = n < STEP ? 'web_a1' : 'web';
      given.source.put('blogs', aSourceBlog({ id: idOf(n), title: 'First', websiteId }));
    }
  });

  it('is read while the previous rows are written, and only once', async () => {
    const read = reads();
    await untilBlogs(STEP);
    expect(blogsReadBy(read)).to.eql([STEP, STEP]);
    await untilBlogs(3 * STEP);
    expect(blogsReadBy(read)).to.eql([STEP, STEP, STEP]);
  });

  it('does not overwrite a later change', async () => {
    await untilBlogs(STEP);
    put(STEP + 1, 'Second');
    await given.applyChanges();
    expect(titleOf(STEP + 1)).to.equal('Second');
    await untilBlogs(3 * STEP);

    expect(titleOf(STEP + 1)).to.equal('Second');
  });

  it('does not overwrite what another job has written since', async () => {
    await untilBlogs(STEP);
    given.source.put('blogs', aSourceBlog({ id: idOf(STEP + 1), title: 'Second' }));
    await given.readModel.write(given.epoch, {
      slices: [],
      work: [{ kind: 'add', scope: { of: 'rows', kind: 'blogs', keys: [idOf(STEP + 1)] } }],
    });
    await untilBlogs(3 * STEP);

    expect(titleOf(STEP + 1)).to.equal('Second');
  });

  it('is not written for an organization that has lost the website since', async () => {
    await untilBlogs(STEP);
    for (let n = STEP; n < 2 * STEP; n++) {
      given.source.put('blogs', aSourceBlog({ id: idOf(n), organizationId: 'org_b', websiteId: 'web' }));
    }
    given.feed.add('websites', 'web');
    await given.applyChanges();
    await untilBlogs(2 * STEP);

    const ofWebsite = given.readModel.rows('blogs').filter(({ websiteId }) => websiteId === 'web');
    expect(new Set(ofWebsite.map(({ organizationId }) => organizationId))).to.eql(new Set(['org_b']));
  });

  it('is still used after keys were revoked', async () => {
    await untilBlogs(STEP);
    const read = reads();
    given.remove('apiKeys', 'key');
    await given.applyChanges();
    await untilBlogs(2 * STEP);

    expect(blogsReadBy(read), 'only the rows after it').to.eql([STEP]);
  });

  it('fails its own step, and not the previous one', async () => {
    const read = sinon.stub(given.source, 'read').callThrough();
    read.onSecondCall().rejects(new Error('invalid page in block 7'));
    const failures = () =>
      given.log.lines.filter(({ message }) => message === 'syncing: a job failed and is retried');
    await untilBlogs(STEP);
    expect(failures()).to.eql([]);
    await untilBlogs(3 * STEP);

    expect(given.idsOf('blogs')).to.have.lengthOf(3 * STEP);
    expect(failures()).to.have.lengthOf(1);
  });
});

function idOf(n: number): string {
  return `blog_${String(n).padStart(5, '0')}`;
}
