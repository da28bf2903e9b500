import * as mocha from 'mocha';
import { PostgresBlogReader } from '../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresTagReader } from '../../src/adapters/postgres/read/postgres-tag-reader.js';
import { MemoryBlogReader } from '../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryCategoryReader } from '../../src/contracts/fakes/memory-category-reader.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemoryTagReader } from '../../src/contracts/fakes/memory-tag-reader.js';
import { blogReaderContract } from '../../src/contracts/reading/blog-reader.contract.js';
import { categoryReaderContract } from '../../src/contracts/reading/category-reader.contract.js';
import { tagReaderContract } from '../../src/contracts/reading/tag-reader.contract.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import type { RowKind, RowTypes } from '../../src/domain/model/read-model.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../support/postgres/read-tables.js';

const newModel = () => new MemoryReadModel(new SettableClock());

blogReaderContract(mocha, MemoryBlogReader, async () => {
  const model = newModel();
  return filledBy(leadingWriter(model), 'blogs', new MemoryBlogReader(model));
});
categoryReaderContract(mocha, MemoryCategoryReader, async () => {
  const model = newModel();
  return filledBy(leadingWriter(model), 'categories', new MemoryCategoryReader(model));
});
tagReaderContract(mocha, MemoryTagReader, async () => {
  const model = newModel();
  return filledBy(leadingWriter(model), 'tags', new MemoryTagReader(model));
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();
  const filled = <Kind extends RowKind, Reader>(kind: Kind, subject: Reader) =>
    filledBy(leadingWriter(readTables()), kind, subject);

  blogReaderContract(mocha, PostgresBlogReader, async () =>
    filled('blogs', new PostgresBlogReader(readTables())),
  );
  categoryReaderContract(mocha, PostgresCategoryReader, async () =>
    filled('categories', new PostgresCategoryReader(readTables())),
  );
  tagReaderContract(mocha, PostgresTagReader, async () =>
    filled('tags', new PostgresTagReader(readTables())),
  );
});

function filledBy<Kind extends RowKind, Reader>(writer: LeadingWriter, kind: Kind, subject: Reader) {
  return {
    subject,
    put: (...rows: readonly RowTypes[Kind][]) => putInto(writer)(kind, ...rows),
    remove: async (...ids: readonly string[]) => void (await writer.replace({ kind, ids, rows: [] })),
  };
}
