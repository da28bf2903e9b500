import { expect } from 'chai';
import sinon from 'sinon';
import { SCOPES_WITH_END } from '../../../src/application/sync/job-stages.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import type { Scope, WideKind } from '../../../src/domain/model/job.js';
import { aLinkedCategory, aLinkedTag } from './source-terms.js';
import { toTheEnd, WorkerUnderTest } from './worker-under-test.js';

describe('JobTurns, for rows that depend on other rows,', () => {
  let given: WorkerUnderTest;

  const add = (of: WideKind, ...keys: readonly string[]) =>
    given.jobs.update({ kind: 'add', scope: { kind: of, keys } });
  const runStep = () => given.runJob();
  const jobTurns = () => toTheEnd(runStep);
  const blog = (id: string) => given.readModel.rows('blogs').find((row) => row.id === id);
  /** Puts blogs with a tag of this name. */
  const putTagged = (count: number, name: string) => {
    for (let n = 0; n < count; n++) {
      given.source.put('blogs', aSourceBlog({ id: `tagged_${n}`, tags: [aLinkedTag({ id: 'tag', name })] }));
    }
  };
  const readIds = async () => {
    const read = sinon.spy(given.source, 'read');
    await jobTurns();
    return read.args.flatMap(([, ids]) => ids);
  };

  beforeEach(async () => {
    given = new WorkerUnderTest();
    given.source.put('blogs', aSourceBlog({ id: 'other' }));
  });

  it('shows a new name of a category in its blogs, reads its children again, and nothing else', async () => {
    given.source.put(
      'categories',
      aSourceCategory({ id: 'child', parentId: 'parent', parentOrganizationId: 'org_a' }),
    );
    given.source.put('categories', aSourceCategory({ id: 'unrelated' }));
    const filed = (name: string) =>
      aSourceBlog({ id: 'filed', categories: [aLinkedCategory({ id: 'parent', name })] });
    given.source.put('blogs', filed('Old'));
    await jobTurns();
    given.source.put(
      'categories',
      aSourceCategory({ id: 'child', parentId: 'parent', parentOrganizationId: 'org_b' }),
    );
    given.source.put('blogs', filed('New'));
    add('categories', 'parent');

    expect(await readIds()).to.eql(['child', 'filed']);
    expect(blog('filed')?.categories.map(({ name }) => name)).to.eql(['New']);
    const child = given.readModel.rows('categories').find(({ id }) => id === 'child');
    expect(child).to.include({ parentId: null });
  });

  it('reads at most 500 rows at a time, and finishes', async () => {
    putTagged(1101, 'Old');
    await jobTurns();
    putTagged(1101, 'New');
    add('tags', 'tag');
    const read = sinon.spy(given.source, 'read');
    await jobTurns();

    expect(read.args.map(([, ids]) => ids.length)).to.eql([500, 500, 101]);
    expect(given.readModel.rows('blogs').filter(({ tags }) => tags[0]?.name === 'New')).to.have.lengthOf(
      1101,
    );
  });

  it('ends, and skips nothing, if a read also has other spellings of its keys', async () => {
    const read = given.source.read.bind(given.source);
    let cut = Number.MAX_SAFE_INTEGER;
    sinon.stub(given.source, 'read').callsFake(async (kind, ids) => {
      const reading = await read(kind, ids.slice(0, cut));
      return { ...reading, ids: [...ids.map((id) => id.toUpperCase()), ...reading.ids] };
    });
    putTagged(700, 'Old');
    await jobTurns();
    for (const [rows, name] of [
      [1_000, 'New'],
      [3, 'Newer'],
    ] as const) {
      cut = rows;
      putTagged(700, name);
      add('tags', 'tag');
      await jobTurns();
      expect(given.readModel.rows('blogs').filter(({ tags }) => tags[0]?.name === name)).to.have.lengthOf(
        700,
      );
    }
  });

  for (const [what, keysAfter] of Object.entries({
    'has no end': (keys: readonly string[]) => keys,
    'reads nothing of its next keys': () => ['TAGGED'],
  })) {
    it(`fails, lets others go on, and leaves the kind to its request, if its walk ${what}`, async () => {
      putTagged(3, 'Name');
      await jobTurns();
      const keys = given.source.keys.bind(given.source);
      const read = given.source.read.bind(given.source);
      sinon.stub(given.source, 'read').callsFake(async (kind, ids) => {
        const reading = await read(kind, ids);
        return ids[0] === 'TAGGED' ? { ...reading, ids: [] } : reading;
      });
      sinon
        .stub(given.source, 'keys')
        .callsFake(async (kind, scope, after, limit) =>
          scope.kind === 'tags'
            ? keysAfter(await keys(kind, scope, null, limit))
            : keys(kind, scope, after, limit),
        );
      add('tags', 'tag');
      add('websites', 'web_a1');
      await jobTurns();

      expect(await given.jobs.unfinished(SCOPES_WITH_END)).to.eql([]);
      expect(given.metrics.of('job-failed')).to.be.above(0);
    });
  }

  it('takes turns with a rebuild, so that neither waits for the end of the other', async () => {
    putTagged(2000, 'Name');
    add('tags', 'tag');
    const turns: Scope['kind'][] = [];
    const run = given.jobStep.take.bind(given.jobStep);
    sinon.stub(given.jobStep, 'take').callsFake((epoch, job, ...rest) => {
      turns.push(job.scope.kind);
      return run(epoch, job, ...rest);
    });
    await jobTurns();

    expect(turns.slice(0, 10).filter((of) => of === 'everything')).to.have.lengthOf.within(4, 6);
    expect(turns.lastIndexOf('tags')).to.be.below(turns.lastIndexOf('everything'));
  });
});
