import * as mocha from 'mocha';
import { PrimaryContent } from '../../src/adapters/postgres/read/content-database.js';
import { PostgresBlogReader } from '../../src/adapters/postgres/read/postgres-blog-reader.js';
import { blogReaderContract } from '../../src/contracts/blog-reader.contract.js';
import { MemoryBlogReader } from '../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../support/postgres/read-tables.js';

blogReaderContract(mocha, MemoryBlogReader, async () => {
  const readModel = new MemoryReadModel(new SettableClock());
  const subject = new MemoryBlogReader(readModel);
  return { subject, put: (...blogs) => putInto(leadingWriter(readModel))('blogs', ...blogs) };
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  blogReaderContract(mocha, PostgresBlogReader, async () => {
    const writer = leadingWriter(readTables());
    const subject = new PostgresBlogReader(new PrimaryContent(readTables()));
    return { subject, put: (...blogs) => putInto(writer)('blogs', ...blogs) };
  });
});
