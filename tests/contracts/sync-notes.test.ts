import * as mocha from 'mocha';
import { PostgresJobQueue } from '../../src/adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../../src/adapters/postgres/write/postgres-sync-notes.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemorySyncNotes } from '../../src/contracts/fakes/memory-sync-notes.js';
import { syncNotesContract } from '../../src/contracts/sync/sync-notes.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';

syncNotesContract(mocha, MemorySyncNotes, async () => {
  const writer = new MemoryReadModel(new SettableClock());
  const subject = new MemorySyncNotes(writer);
  const leadership = new MemoryLeadership(writer.lead, 10_000);
  return { subject, later: subject, leadership, writer, jobs: writer.jobs };
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  syncNotesContract(mocha, PostgresSyncNotes, async () => {
    await readTables().raw(`
      delete from content_read.known_databases;
      delete from content_read.sync_jobs;
      update content_read.sync_leader set capture_seen = null, capture_is_broken = false`);
    return {
      subject: new PostgresSyncNotes(readTables()),
      later: new PostgresSyncNotes(readTables()),
      leadership: new PostgresLeadership(readTables(), 'test', 10_000),
      writer: new PostgresReadModelWriter(readTables()),
      jobs: new PostgresJobQueue(readTables()),
    };
  });
});
