import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import type { ChangeFeed } from '../domain/ports/change-feed.js';
import type { ContentSource } from '../domain/ports/content-source.js';
import type { JobQueue } from '../domain/ports/job-queue.js';
import type { Leadership } from '../domain/ports/leadership.js';
import type { ReadModelWriter } from '../domain/ports/read-model-writer.js';
import type { SyncNotes } from '../domain/ports/sync-notes.js';
import { TOKENS, token } from './tokens.js';

/** The parts of a worker's session, which lasts until the first failure. */
export const SESSION = {
  readTables: token<WorkerConnection>('ReadTables'),
  dashboard: token<MappedConnection>('Dashboard'),

  leadership: token<Leadership>('Leadership'),
  changeFeed: token<ChangeFeed>('ChangeFeed'),
  contentSource: token<ContentSource>('ContentSource'),
  readModelWriter: token<ReadModelWriter>('ReadModelWriter'),
  jobQueue: token<JobQueue>('JobQueue'),
  syncNotes: token<SyncNotes>('SyncNotes'),
  generationTable: TOKENS.generationTable,
  publishedGenerations: TOKENS.publishedGenerations,
  installation: TOKENS.installation,
};
