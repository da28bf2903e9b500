import { expect } from 'chai';
import sinon from 'sinon';
import { unshownRow } from '../../../src/application/sync/unshown-row.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { RowRefused } from '../../../src/domain/errors.js';
import type { BlogRow, ReadModelSlice, ReadModelUpdate } from '../../../src/domain/model/read-model.js';
import type { RefusedRow } from '../../../src/domain/model/source.js';
import { WorkerUnderTest } from './worker-under-test.js';

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

function blogsSlice(rows: readonly BlogRow[], refused: readonly RefusedRow[] = []): ReadModelSlice {
  const unshown = refused.map((row) => unshownRow(row));
  return { kind: 'blogs', ids: idsOf([...rows, ...refused]), rows, unshown };
}

describe('UpdateReadModel', () => {
  let given: WorkerUnderTest;

  const run = (update: Partial<ReadModelUpdate>) =>
    given.update.write(given.epoch, { slices: [], jobs: [], ...update });
  const unshown = () => given.metrics.of('row-unshown');

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
    const unshownRows = [unshownRow({ id: 'a\0', reason: 'id is a\0' })];
    await run({
      slices: [{ kind: 'tags', ids: ['a\0', 'b'], rows: [], unshown: unshownRows }],
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
          {
            kind: 'tags',
            ids: ['a\x01', 'b'],
            rows: [],
            unshown: [unshownRow({ id: 'a\x01', reason: 'id is a\x01' })],
          },
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

  it('writes an unshown row once if two ids are stored as one', async () => {
    const unshown = ['a\0', 'a\x01'].map((id) => unshownRow({ id, reason: 'for a reason' }));
    await run({ slices: [{ kind: 'tags', ids: ['a\0', 'a\x01'], rows: [], unshown }], jobs: [] });
    expect(given.readModel.unshownIds('tags')).to.eql(['a\x01']);
  });

  it('counts each row that cannot be shown, and logs one line for each of the first causes', async () => {
    const never = 'published_at is not a valid time';
    const refused = [
      { id: 'long', reason: 'title has 100001 bytes; the limit is 100000' },
      ...['a', 'b', 'c', 'd'].map((id) => ({ id, reason: never })),
      ...Array.from({ length: 100 }, (_, n) => ({
        id: `odd_${n}`,
        reason: `the row cannot be read: ${String.fromCodePoint(97 + n)}`,
      })),
    ];
    await run({ slices: [blogsSlice([aBlog({ id: 'good' })], refused), blogsSlice([])] });

    expect(unshown()).to.equal(105);
    expect(given.log.lines).to.have.lengthOf(10);
    const line = (rows: number, ids: readonly string[], reason: string | undefined) => ({
      level: 'error',
      message: 'rows cannot be shown',
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

    expect(unshown()).to.equal(0);
    expect(given.log.lines).to.eql([]);
  });

  it('passes on that the storage refuses a row, and writes nothing', async () => {
    given.refuseToStore('index row size exceeds maximum', 'bad');
    const failure = await run({
      slices: [blogsSlice(['one', 'bad'].map((id) => aBlog({ id })))],
    }).catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(RowRefused);
    expect(given.idsOf('blogs')).to.eql([]);
    expect(unshown()).to.equal(0);
  });
});
