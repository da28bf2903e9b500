import { expect } from 'chai';
import * as mocha from 'mocha';
import sinon from 'sinon';
import { MemoryPublishedGenerations } from '../../src/adapters/memory/memory-published-generations.js';
import { publishedGenerationsContract } from '../../src/contracts/published-generations.contract.js';
import { Gate } from '../support/clock/gate.js';

publishedGenerationsContract(
  mocha,
  MemoryPublishedGenerations,
  async () => {
    const subject = new MemoryPublishedGenerations({ current: async () => 0 });
    return { subject, shown: (organizationId) => subject.current(organizationId) };
  },
  { lacks: ['unreachable'] },
);

describe('MemoryPublishedGenerations', () => {
  it('reads a generation that it lacks from the read tables, and shows it from then on', async () => {
    const current = sinon.stub().resolves(5);
    const published = new MemoryPublishedGenerations({ current });
    for (let n = 0; n < 3; n++) expect(await published.current('org')).to.equal(5);
    sinon.assert.calledOnceWithExactly(current, 'org');
  });

  it('does not use the read tables for a generation that it shows', async () => {
    const current = sinon.stub().rejects(new Error('The read tables were read'));
    const published = new MemoryPublishedGenerations({ current });
    await published.publish([{ organizationId: 'org', generation: 5 }]);
    expect(await published.current('org')).to.equal(5);
  });

  it('keeps a published generation when the read tables return an older one', async () => {
    const gate = new Gate<number>();
    const published = new MemoryPublishedGenerations({ current: () => gate.wait() });
    const reading = published.current('org');
    await gate.arrived;
    await published.publish([{ organizationId: 'org', generation: 7 }]);
    gate.open(5);
    await reading;
    expect(await published.current('org')).to.equal(7);
  });

  it('shows nothing after a failed read', async () => {
    const current = sinon.stub();
    current.onFirstCall().rejects(new Error('The database is away'));
    current.resolves(5);
    const published = new MemoryPublishedGenerations({ current });
    const failure = await published.current('org').catch((error: unknown) => error);
    expect(failure).to.include({ message: 'The database is away' });
    expect(await published.current('org')).to.equal(5);
  });
});
