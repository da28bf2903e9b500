import { expect } from 'chai';
import sinon from 'sinon';
import { aBlog, aTag } from '../../../src/contracts/support/rows.js';
import { LeadershipLost, RowRefused } from '../../../src/domain/errors.js';
import type { AnySlice, BlogRow, ReadModelUpdate } from '../../../src/domain/model/read-model.js';
import type { RefusedRow } from '../../../src/domain/model/source.js';
import { WorkerUnderTest } from './worker-under-test.js';

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

function blogsSlice(rows: readonly BlogRow[], refused: readonly RefusedRow[] = []): AnySlice {
  return { kind: 'blogs', ids: idsOf([...rows, ...refused]), rows, refused };
}

describe('UpdateReadModel', () => {
  let given: WorkerUnderTest;

  const run = (update: Partial<ReadModelUpdate>) =>
    given.update.run(given.epoch, { slices: [], jobs: [], ...update });
  const quarantined = () => given.metrics.of('row-quarantined');

  beforeEach(() => {
    given = new WorkerUnderTest();
  });

  it('writes rows, and returns the result', async () => {
    const change = await run({ slices: [blogsSlice([aBlog({ id: 'a' }), aBlog({ id: 'b' })])] });

    expect(change.changedRows).to.equal(2);
    expect(given.idsOf('blogs')).to.eql(['a', 'b']);
    expect(change.raised.map(({ organizationId }) => organizationId)).to.eql(['org_a']);
  });

  it('writes ids with NUL as a storage can hold them, wherever they stand', async () => {
    const write = sinon.spy(given.readModel, 'write');
    const refused = [{ id: 'a\0', reason: 'id is a\0' }];
    await run({
      slices: [{ kind: 'tags', ids: ['a\0', 'b'], rows: [], refused }],
      owners: [{ websiteId: 'w\0', organizationId: null }],
      jobs: [
        { kind: 'add', scope: { kind: 'tags', keys: ['a\0', '\\u0000'] } },
        { kind: 'advance', id: 1, progress: { stage: 0, after: 'a\0', done: 1, total: null } },
        { kind: 'fail', id: 1, error: 'Incorrect value: a\0', retryAfterMs: 1 },
      ],
    });
    expect(write.args.map(([, update]) => update)).to.eql([
      {
        slices: [
          { kind: 'tags', ids: ['a\x01', 'b'], rows: [], refused: [{ id: 'a\x01', reason: 'id is a\x01' }] },
        ],
        owners: [{ websiteId: 'w\x01', organizationId: null }],
        jobs: [
          { kind: 'add', scope: { kind: 'tags', keys: ['a\x01', '\\u0000'] } },
          { kind: 'advance', id: 1, progress: { stage: 0, after: 'a\x01', done: 1, total: null } },
          { kind: 'fail', id: 1, error: 'Incorrect value: a\x01', retryAfterMs: 1 },
        ],
      },
    ]);
  });

  it('counts each row that cannot be shown, and logs one line for each of the first reasons', async () => {
    const never = 'published_at is not a valid time';
    const refused = [
      { id: 'long', reason: 'title has 100001 bytes; the limit is 100000' },
      ...['a', 'b', 'c', 'd'].map((id) => ({ id, reason: never })),
      ...Array.from({ length: 100 }, (_, n) => ({ id: `odd_${n}`, reason: `the row cannot be read: ${n}` })),
    ];
    await run({ slices: [blogsSlice([aBlog({ id: 'good' })], refused), blogsSlice([])] });

    expect(quarantined()).to.equal(105);
    expect(given.log.lines).to.have.lengthOf(10);
    const line = (rows: number, ids: readonly string[], reason: string | undefined) => ({
      level: 'error',
      message: 'rows cannot be shown and are quarantined',
      details: { kind: 'blogs', rows, ids, reason },
    });
    expect(given.log.lines.slice(0, 2)).to.eql([
      line(1, ['long'], refused[0]?.reason),
      line(4, ['a', 'b', 'c'], never),
    ]);
    expect(given.readModel.reasonNotToShow('blogs', 'long')).to.equal(refused[0]?.reason);
  });

  it('neither counts nor logs rows whose write failed', async () => {
    sinon.stub(given.readModel, 'write').rejects(new Error('connection lost'));
    await run({ slices: [blogsSlice([], [{ id: 'long', reason: 'too long' }])] }).catch(() => {});

    expect(quarantined()).to.equal(0);
    expect(given.log.lines).to.eql([]);
  });

  describe('when the storage refuses rows', () => {
    it('quarantines those one by one, and writes all others', async () => {
      await run({ slices: [blogsSlice([aBlog({ id: 'gone' }), aBlog({ id: 'bad' })])] });
      given.refuseToStore('index row size exceeds maximum', 'bad', 'worse');
      const rows = ['one', 'bad', 'two', 'worse', 'three'].map((id) => aBlog({ id, title: 'New' }));
      const slice = blogsSlice(rows, [{ id: 'refused-before', reason: 'too long' }]);
      await run({ slices: [{ ...slice, ids: [...slice.ids, 'gone'] } as AnySlice] });

      expect(given.idsOf('blogs')).to.have.members(['one', 'two', 'three']);
      for (const id of ['bad', 'worse']) {
        expect(given.readModel.reasonNotToShow('blogs', id)).to.equal('index row size exceeds maximum');
      }
      expect(given.readModel.reasonNotToShow('blogs', 'refused-before')).to.equal('too long');
      expect(quarantined()).to.equal(3);
      expect(given.log.messages).to.have.lengthOf(2);
    });

    it('quarantines only the refused row, whatever is written with it', async () => {
      given.refuseToStore('out of range', 'tag');
      const tags: AnySlice = { kind: 'tags', ids: ['tag'], rows: [aTag({ id: 'tag' })], refused: [] };
      await run({ slices: [blogsSlice([aBlog({ id: 'tag-less' })]), tags] });

      expect([given.idsOf('tags'), given.idsOf('blogs')]).to.eql([[], ['tag-less']]);
      expect(given.readModel.reasonNotToShow('tags', 'tag')).to.equal('out of range');
    });

    it('updates the job queue once, with the last of the rows', async () => {
      given.refuseToStore('too long', 'bad');
      const rows = ['one', 'bad', 'two'].map((id) => aBlog({ id }));
      const update = sinon.stub(given.jobs, 'update').callsFake(() => {
        expect(given.idsOf('blogs')).to.eql(['one', 'two']);
      });
      await run({ slices: [blogsSlice(rows)], jobs: [{ kind: 'finish', id: 1 }] });

      expect(update.args).to.eql([[{ kind: 'finish', id: 1 }]]);
    });

    it('passes on another failure while it searches for the refused rows', async () => {
      const { epoch } = given;
      const write = sinon.stub(given.readModel, 'write');
      write.onFirstCall().rejects(new RowRefused('too long'));
      write.onSecondCall().rejects(new LeadershipLost(epoch));
      const failure = await run({ slices: [blogsSlice([aBlog({ id: 'a' })])] }).catch(
        (error: unknown) => error,
      );

      expect(failure).to.be.instanceOf(LeadershipLost);
      expect(quarantined()).to.equal(0);
    });
  });
});
