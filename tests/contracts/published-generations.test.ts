import * as mocha from 'mocha';
import { MemoryPublishedGenerations } from '../../src/contracts/fakes/memory-published-generations.js';
import { publishedGenerationsContract } from '../../src/contracts/sync/published-generations.contract.js';

publishedGenerationsContract(
  mocha,
  MemoryPublishedGenerations,
  async () => {
    const subject = new MemoryPublishedGenerations();
    return { subject, generationOf: (organizationId) => subject.published(organizationId) };
  },
  { lacks: ['unreachable'] },
);
