import { expect } from 'chai';
import * as mocha from 'mocha';
import { MemoryGenerations } from '../../src/adapters/memory/memory-generations.js';
import { MemoryPublishedGenerations } from '../../src/adapters/memory/memory-published-generations.js';
import { MemoryReadModel } from '../../src/adapters/memory/memory-read-model.js';
import { PostgresGenerations } from '../../src/adapters/postgres/postgres-generations.js';
import { generationsContract } from '../../src/contracts/generations.contract.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';
import { publishedGenerationsShown, raisedBy } from './generations.published.js';

generationsContract(mocha, MemoryGenerations, async () => {
  const readModel = new MemoryReadModel(new SettableClock());
  return raisedBy(leadingWriter(readModel), new MemoryGenerations(readModel));
});

generationsContract(mocha, MemoryPublishedGenerations, async () =>
  publishedGenerationsShown((readTables) => {
    const published = new MemoryPublishedGenerations(readTables);
    return { published, subject: published };
  }),
);

describe('MemoryGenerations', () => {
  it('continue to rise when the clock is set back', async () => {
    const clock = new SettableClock();
    const readModel = new MemoryReadModel(clock);
    const { subject, change } = raisedBy(leadingWriter(readModel), new MemoryGenerations(readModel));
    await change('org_a');
    const before = await subject.current('org_a');
    clock.advance(-3_600_000);
    await change('org_a');
    expect(await subject.current('org_a')).to.be.greaterThan(before);
  });
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();
  const makeSubject = async () =>
    raisedBy(leadingWriter(readTables()), new PostgresGenerations(readTables()));

  generationsContract(mocha, PostgresGenerations, makeSubject);

  describe('PostgresGenerations', () => {
    const organizations = () => readTables().withSchema('content_read').from('organizations');

    it('continue above the old number in read tables that were created again', async () => {
      const { subject, change } = await makeSubject();
      const organizationId = freshId('org');
      await change(organizationId);
      await change(organizationId);
      const before = await subject.current(organizationId);
      await organizations().where({ organization_id: organizationId }).delete();
      await change(organizationId);
      expect(await subject.current(organizationId)).to.be.greaterThan(before);
    });

    it('rise by one if the clock lags behind them', async () => {
      const { subject, change } = await makeSubject();
      const organizationId = freshId('org');
      const ahead = Date.UTC(2200, 0) * 1000;
      await organizations().insert({ organization_id: organizationId, generation: ahead });
      await change(organizationId);
      expect(await subject.current(organizationId)).to.equal(ahead + 1);
    });
  });
});
