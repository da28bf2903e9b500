import * as mocha from 'mocha';
import { PrimaryContent } from '../../src/adapters/postgres/read/content-database.js';
import { PostgresTagReader } from '../../src/adapters/postgres/read/postgres-tag-reader.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemoryTagReader } from '../../src/contracts/fakes/memory-tag-reader.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { type TagReaderSubject, tagReaderContract } from '../../src/contracts/tag-reader.contract.js';
import type { TagReader } from '../../src/domain/ports/tag-reader.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../support/postgres/read-tables.js';

tagReaderContract(mocha, MemoryTagReader, async () => {
  const readModel = new MemoryReadModel(new SettableClock());
  return filledBy(leadingWriter(readModel), new MemoryTagReader(readModel));
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  tagReaderContract(mocha, PostgresTagReader, async () =>
    filledBy(leadingWriter(readTables()), new PostgresTagReader(new PrimaryContent(readTables()))),
  );
});

function filledBy(writer: LeadingWriter, subject: TagReader): TagReaderSubject {
  return {
    subject,
    put: (...tags) => putInto(writer)('tags', ...tags),
    remove: async (...ids) => void (await writer.replace({ kind: 'tags', ids, rows: [] })),
  };
}
