import * as mocha from 'mocha';
import { PrimaryContent } from '../../src/adapters/postgres/read/content-database.js';
import { PostgresCategoryReader } from '../../src/adapters/postgres/read/postgres-category-reader.js';
import {
  type CategoryReaderSubject,
  categoryReaderContract,
} from '../../src/contracts/category-reader.contract.js';
import { MemoryCategoryReader } from '../../src/contracts/fakes/memory-category-reader.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import type { CategoryReader } from '../../src/domain/ports/category-reader.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../support/postgres/read-tables.js';

categoryReaderContract(mocha, MemoryCategoryReader, async () => {
  const readModel = new MemoryReadModel(new SettableClock());
  return filledBy(leadingWriter(readModel), new MemoryCategoryReader(readModel));
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  categoryReaderContract(mocha, PostgresCategoryReader, async () =>
    filledBy(leadingWriter(readTables()), new PostgresCategoryReader(new PrimaryContent(readTables()))),
  );
});

function filledBy(writer: LeadingWriter, subject: CategoryReader): CategoryReaderSubject {
  return {
    subject,
    put: (...categories) => putInto(writer)('categories', ...categories),
    remove: async (...ids) => void (await writer.replace({ kind: 'categories', ids, rows: [] })),
  };
}
