import * as mocha from 'mocha';
import { PostgresGenerations } from '../../src/adapters/postgres/read/postgres-generations.js';
import { Replica } from '../../src/adapters/postgres/replicas/replica.js';
import { ReplicaGenerations } from '../../src/adapters/postgres/replicas/replica-generations.js';
import { MemoryGenerations } from '../../src/contracts/fakes/memory-generations.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import {
  type GenerationHistorySubject,
  generationHistoryContract,
} from '../../src/contracts/reading/generation-history.contract.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { aTag } from '../../src/contracts/support/rows.js';
import type { RaisedGeneration } from '../../src/domain/model/read-model.js';
import type { GenerationHistory } from '../../src/domain/ports/reading/generation-history.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';
import { RecordingLog } from '../support/programs/recording-log.js';

generationHistoryContract(mocha, MemoryGenerations, async () => {
  const clock = new SettableClock();
  const readModel = new MemoryReadModel(clock);
  // New organizations reach the same generation at the same time of the clock.
  const changeTogether = (organizationIds: readonly string[]) => {
    clock.advance(1);
    return raiseIn(leadingWriter(readModel), organizationIds);
  };
  return {
    subject: new MemoryGenerations(readModel),
    change: async (organizationId) => only(await changeTogether([organizationId])),
    changeTogether,
  };
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  const subjectWith = (subject: GenerationHistory): GenerationHistorySubject => {
    const writer = leadingWriter(readTables());
    return {
      subject,
      change: async (organizationId) => only(await raiseIn(writer, [organizationId])),
      changeTogether: async (organizationIds) => {
        // As if two writers had taken their generations in the same microsecond.
        const organizations = () => readTables().withSchema('content_read').from('organizations');
        const [{ highest }] = await organizations().max({ highest: 'generation' });
        const generation = Number(highest) + 1;
        await organizations().insert(organizationIds.map((id) => ({ organization_id: id, generation })));
        const raised = organizationIds.map((organizationId) => ({ organizationId, generation }));
        return raised;
      },
    };
  };

  generationHistoryContract(mocha, PostgresGenerations, async () =>
    subjectWith(new PostgresGenerations(readTables())),
  );

  generationHistoryContract(mocha, ReplicaGenerations, async () => {
    const replica = new Replica('replica', readTables(), new RecordingLog());
    await replica.probe();
    return subjectWith(new ReplicaGenerations(replica));
  });
});

async function raiseIn(writer: LeadingWriter, organizationIds: readonly string[]) {
  const rows = organizationIds.map((organizationId) => aTag({ id: freshId('tag'), organizationId }));
  return (await writer.replace({ kind: 'tags', ids: rows.map(({ id }) => id), rows })).raised;
}

function only(raised: readonly RaisedGeneration[]): RaisedGeneration {
  const [first] = raised;
  if (first === undefined || raised.length > 1) throw new Error(`${raised.length} generations were raised`);
  return first;
}
