import { expect } from 'chai';
import * as mocha from 'mocha';
import { PostgresGenerations } from '../../src/adapters/postgres/read/postgres-generations.js';
import { MemoryGenerations } from '../../src/contracts/fakes/memory-generations.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { generationsContract } from '../../src/contracts/reading/generations.contract.js';
import { currentGeneration } from '../../src/contracts/support/current-generation.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';
import { raisedBy } from './raised-by.js';

generationsContract(mocha, MemoryGenerations, async () => {
  const readModel = new MemoryReadModel(new SettableClock());
  return raisedBy(leadingWriter(readModel), new MemoryGenerations(readModel));
});

describe('MemoryGenerations', () => {
  it('continue to rise when the clock is set back', async () => {
    const clock = new SettableClock();
    const readModel = new MemoryReadModel(clock);
    const { subject, change } = raisedBy(leadingWriter(readModel), new MemoryGenerations(readModel));
    await change('org_a');
    const before = await currentGeneration(subject, 'org_a');
    clock.advance(-3_600_000);
    for (const organizationId of ['org_a', 'org_b']) await change(organizationId);
    expect(await currentGeneration(subject, 'org_a')).to.be.greaterThan(before);
    expect(await currentGeneration(subject, 'org_b')).to.be.greaterThan(
      await currentGeneration(subject, 'org_a'),
    );
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
      const before = await currentGeneration(subject, organizationId);
      await organizations().where({ organization_id: organizationId }).delete();
      await change(organizationId);
      expect(await currentGeneration(subject, organizationId)).to.be.greaterThan(before);
    });

    it('rise by one above those of all organizations if the clock lags behind them', async () => {
      const { subject, change } = await makeSubject();
      const organizationIds = [freshId('org'), freshId('org')];
      const ahead = Date.UTC(2200, 0) * 1000;
      await organizations().insert({ organization_id: freshId('org'), generation: ahead });
      for (const organizationId of organizationIds) await change(organizationId);
      const generations = await Promise.all(organizationIds.map((id) => currentGeneration(subject, id)));
      expect(generations).to.eql([ahead + 1, ahead + 2]);
    });
  });
});
