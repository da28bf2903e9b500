import { expect } from 'chai';
import * as mocha from 'mocha';
import sinon from 'sinon';
import { MemoryGenerationBoard } from '../../src/adapters/memory/memory-generation-board.js';
import { generationBoardContract } from '../../src/contracts/generation-board.contract.js';
import { Gate } from '../support/gate.js';

generationBoardContract(
  mocha,
  MemoryGenerationBoard,
  async () => {
    const subject = new MemoryGenerationBoard({ current: async () => 0 });
    return { subject, shown: (organizationId) => subject.current(organizationId) };
  },
  { lacks: ['outOfReach'] },
);

describe('MemoryGenerationBoard', () => {
  it('asks the read tables for what it does not show, and shows it from then on', async () => {
    const current = sinon.stub().resolves(5);
    const board = new MemoryGenerationBoard({ current });
    for (let n = 0; n < 3; n++) expect(await board.current('org')).to.equal(5);
    sinon.assert.calledOnceWithExactly(current, 'org');
  });

  it('asks the read tables for nothing that it shows', async () => {
    const current = sinon.stub().rejects(new Error('The read tables were asked'));
    const board = new MemoryGenerationBoard({ current });
    await board.publish([{ organizationId: 'org', generation: 5 }]);
    expect(await board.current('org')).to.equal(5);
  });

  it('stays at what is published while the read tables answer something older', async () => {
    const gate = new Gate<number>();
    const board = new MemoryGenerationBoard({ current: () => gate.wait() });
    const asking = board.current('org');
    await gate.arrived;
    await board.publish([{ organizationId: 'org', generation: 7 }]);
    gate.open(5);
    await asking;
    expect(await board.current('org')).to.equal(7);
  });

  it('shows nothing of an answer that failed', async () => {
    const current = sinon.stub();
    current.onFirstCall().rejects(new Error('The database is away'));
    current.resolves(5);
    const board = new MemoryGenerationBoard({ current });
    const failure = await board.current('org').catch((error: unknown) => error);
    expect(failure).to.include({ message: 'The database is away' });
    expect(await board.current('org')).to.equal(5);
  });
});
