import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { OUTAGE, toTheEnd, WorkerUnderTest } from './worker-under-test.js';

const ORGANIZATIONS = 5_000;
const STEP = 2_000;
const ADD = { kind: 'add', scope: { of: 'generations' } } as const;

describe('Raising all generations', () => {
  let given: WorkerUnderTest;
  let writes: { readonly raised: readonly string[] }[];

  beforeEach(async () => {
    given = new WorkerUnderTest();
    given.put('apiKeys', aKey({ id: 'key', organizationId: 'org 1' }));
    await given.settle();
    given.clock.advance(1_000);
    const ids = Array.from({ length: ORGANIZATIONS }, (_, n) => `org ${n}`);
    await given.readModel.write(given.epoch, { slices: [], work: [], raise: ids });
    given.clock.advance(1_000);
    await given.readModel.write(given.epoch, { slices: [], work: [ADD], raise: ['org 42', 'org 43'] });
    const write = given.readModel.write.bind(given.readModel);
    writes = [];
    sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      const change = await write(epoch, update);
      writes.push({ raised: change.raised.map(({ organizationId }) => organizationId) });
      return change;
    });
  });
  afterEach(() => sinon.restore());

  const raised = () => writes.flatMap((each) => each.raised);

  it('raises a limited number in each step, the most recently raised first, and each once', async () => {
    await given.settle();
    expect(writes.map((each) => each.raised.length).filter(Boolean)).to.deep.equal([STEP, STEP, 1_000]);
    expect(raised().slice(0, 2)).to.have.members(['org 42', 'org 43']);
    expect(new Set(raised())).to.have.property('size', ORGANIZATIONS);
  });

  it('continues where it stopped when a server becomes unavailable between two steps', async () => {
    await given.worker.step(given.epoch);
    const list = sinon.stub(given.list, 'next').rejects(new Error(OUTAGE));
    await given.worker.step(given.epoch).catch(() => {});
    list.restore();
    given.leadAgain();
    await given.settle();
    expect(raised()).to.have.length(ORGANIZATIONS);
  });

  it('delays no revocation, and does not raise an organization again that a revocation has raised', async () => {
    await given.worker.step(given.epoch);
    given.put('apiKeys', aKey({ id: 'key', organizationId: 'org 1', revokedAt: 1 }));
    await given.worker.step(given.epoch);
    expect(given.readModel.rows('apiKeys')).to.have.nested.property('[0].revokedAt', 1);
    expect(raised()).to.have.length.below(ORGANIZATIONS);
    await given.settle();
    expect(raised().filter((id) => id === 'org 1')).to.have.length(1);
  });

  it('does not block the fan-out of an edit or a rebuild', async () => {
    given.feed.add('websites', 'web');
    await given.list.requestEverything();
    await toTheEnd(async () => {
      await given.worker.step(given.epoch);
      return (await given.list.count('generations')) > 0;
    });
    for (const of of ['websites', 'everything'] as const) {
      expect((await given.list.next([of]))?.progress).not.to.equal(null);
    }
  });
});
