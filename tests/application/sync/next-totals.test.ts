import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { OUTAGE, toTheEnd, WorkerUnderTest } from './worker-under-test.js';

const MAX_ORGANIZATIONS = 100;

describe('Recounting totals', () => {
  let given: WorkerUnderTest;
  let counted: (readonly string[])[];
  /** May throw before these organizations are counted. */
  let trouble: (ids: readonly string[]) => void;

  beforeEach(() => {
    given = new WorkerUnderTest();
    counted = [];
    trouble = () => {};
    const write = given.readModel.write.bind(given.readModel);
    sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      const ids = update.recount ?? [];
      if (ids.length > 0) trouble(ids);
      const change = await write(epoch, update);
      if (ids.length > 0) counted.push(ids);
      return change;
    });
  });

  const idOf = (n: number) => `org ${String(n).padStart(4, '0')}`;
  const putOrganizations = (count: number) => {
    for (let n = 0; n < count; n++)
      given.source.put('apiKeys', aKey({ id: `key ${n}`, hash: `${n}`, organizationId: idOf(n) }));
  };
  const sizes = () => counted.map(({ length }) => length);

  it('counts many organizations in a step, each once and in order', async () => {
    putOrganizations(240);
    await given.settle();
    expect(sizes()).to.deep.equal([...Array(2).fill(MAX_ORGANIZATIONS), 40]);
    expect(counted.flat()).to.deep.equal(Array.from({ length: 240 }, (_, n) => idOf(n)));
  });

  it('counts fewer when it reconciles', async () => {
    putOrganizations(24);
    await given.settle();
    counted = [];
    const job = (await given.jobs.next(['reconcile']))?.id;
    await toTheEnd(async () => {
      await given.checkStep();
      return (await given.jobs.next(['reconcile']))?.id === job;
    });
    expect(sizes()).to.deep.equal([10, 10, 4]);
  });

  it('continues where it stopped when a server becomes unavailable between two steps', async () => {
    putOrganizations(250);
    trouble = () => {
      if (counted.length === 1) throw new Error(OUTAGE);
    };
    const failure = await given.settle().catch((error: unknown) => error);
    expect(failure).to.have.property('message', OUTAGE);
    trouble = () => {};
    given.leadAgain();
    await given.settle();
    expect(counted.flat()).to.deep.equal(Array.from({ length: 250 }, (_, n) => idOf(n)));
  });

  it('skips only the organization that cannot be counted, and returns to large steps after it', async () => {
    putOrganizations(250);
    trouble = (ids) => {
      if (ids.includes(idOf(50))) throw new Error('canceling statement due to statement timeout');
    };
    await given.settle();
    const others = Array.from({ length: 250 }, (_, n) => idOf(n)).filter((id) => id !== idOf(50));
    expect(counted.flat()).to.deep.equal(others);
    expect(Math.max(...sizes().slice(-3))).to.be.above(20);
    expect(await given.jobs.next(['everything']), 'the rebuild has finished').to.equal(null);
  });

  it('logs each organization whose totals were wrong, and counts the repaired totals', async () => {
    const repairedTotals = [
      { organizationId: 'a', totals: 2 },
      { organizationId: 'c', totals: 1 },
    ];
    sinon.restore();
    sinon.stub(given.readModel, 'write').resolves({ changedRows: 0, repairedTotals, raised: [] });
    await given.update.write(given.epoch, { slices: [], jobs: [] });
    expect(given.metrics.of('total-repaired')).to.equal(3);
    expect(given.log.lines.map(({ details }) => details)).to.deep.equal([
      { organizationId: 'a', repaired: 2 },
      { organizationId: 'c', repaired: 1 },
    ]);
  });
});
