import type { Knex } from 'knex';
import { PostgresLeadership } from '../../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { MemoryLeadership } from '../../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { LeadingWriter } from '../../../src/contracts/support/leading-writer.js';

/** Nothing else writes there. */
const FROZEN_AFTER_MS = 3_600_000;

const writers = new WeakMap<object, LeadingWriter>();

/** The only writer of a read model: in the memory of a process, or in a database through one connection. */
export function leadingWriter(readModel: MemoryReadModel | Knex): LeadingWriter {
  const known = writers.get(readModel);
  if (known !== undefined) return known;
  const made =
    readModel instanceof MemoryReadModel
      ? new LeadingWriter(readModel, new MemoryLeadership(readModel.lead, FROZEN_AFTER_MS))
      : new LeadingWriter(
          new PostgresReadModelWriter(readModel),
          new PostgresLeadership(readModel, 'test', FROZEN_AFTER_MS),
        );
  writers.set(readModel, made);
  return made;
}
