import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import type { Scope } from '../../../src/domain/model/job.js';
import { aSourceTag } from './source-terms.js';
import { WorkerUnderTest } from './worker-under-test.js';

const ALL_SCOPES = ['categories', 'tags', 'websites', 'everything'] as const;

describe('The fan-out of a change', () => {
  let given: WorkerUnderTest;

  const run = () => given.applyChanges();
  /** Returns the scopes of all jobs, and finishes the jobs. */
  const takeWork = async () => {
    const scopes: Scope[] = [];
    for (;;) {
      const job = await given.jobs.next(ALL_SCOPES);
      if (job === null) return scopes;
      scopes.push(job.scope);
      given.jobs.update({ kind: 'finish', id: job.id });
    }
  };

  beforeEach(async () => {
    given = new WorkerUnderTest();
    await takeWork();
  });

  it('is added to the job queue in the transaction that writes the rows', async () => {
    given.put('categories', aSourceCategory({ id: 'category' }), aSourceCategory({ id: 'gone' }));
    given.remove('categories', 'gone');
    given.put('tags', aSourceTag({ id: 'tag' }));
    const write = sinon.spy(given.readModel, 'write');
    await run();

    expect(write.callCount).to.equal(1);
    expect(await takeWork()).to.eql([
      { kind: 'categories', keys: ['category', 'gone'] },
      { kind: 'tags', keys: ['tag'] },
    ]);
    expect(await given.waitingChanges()).to.eql([]);
  });

  it('covers all rows of a website, which the same write hides from its former owner', async () => {
    given.put('tags', aSourceTag({ id: 'tag', websiteId: 'web' }));
    await run();
    given.source.put('tags', aSourceTag({ id: 'tag', websiteId: 'web', organizationId: 'org_b' }));
    given.feed.add('websites', 'web');
    await takeWork();
    await run();

    expect(await given.readModel.hiddenWebsites()).to.eql(['web']);
    expect(await takeWork()).to.eql([{ kind: 'websites', keys: ['web'] }]);
  });

  it('covers everything if the change has no key', async () => {
    given.feed.add('everything', null);
    given.feed.add('everything', null);
    await run();

    expect(await takeWork()).to.eql([{ kind: 'everything' }]);
  });

  it('is empty if no other row shows the row', async () => {
    given.put('apiKeys', aKey({ id: 'key' }));
    await run();
    given.put('blogs', aSourceBlog({ id: 'blog' }));
    given.feed.add('organizations', 'org_a');
    await run();

    expect(await takeWork()).to.eql([]);
    expect(await given.waitingChanges()).to.eql([]);
  });
});
