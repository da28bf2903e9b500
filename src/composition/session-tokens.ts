import type { DashboardConnection } from '../adapters/dashboard/dashboard-engine.js';
import type { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import type { ChangeFeed } from '../domain/ports/change-feed.js';
import type { ContentSource } from '../domain/ports/content-source.js';
import type { JobQueue } from '../domain/ports/job-queue.js';
import type { Leadership } from '../domain/ports/leadership.js';
import type { ReadModelWriter } from '../domain/ports/read-model-writer.js';
import type { SyncNotes } from '../domain/ports/sync-notes.js';
import type { WorkerPorts } from './extensions/extension.js';
import { TOKENS, type Tokens, token } from './tokens.js';

/** Ports that a worker has for as long as it runs. */
export const LASTING_PORTS = { log: TOKENS.log, metrics: TOKENS.metrics };

/** The other ones belong to a session, which lasts until the first failure. */
export const SESSION_PORTS = {
  leadership: token<Leadership>('Leadership'),
  readModelWriter: token<ReadModelWriter>('ReadModelWriter'),
  jobQueue: token<JobQueue>('JobQueue'),
  syncNotes: token<SyncNotes>('SyncNotes'),
  generationTable: TOKENS.generationTable,
  changeFeed: token<ChangeFeed>('ChangeFeed'),
  contentSource: token<ContentSource>('ContentSource'),
  publishedGenerations: TOKENS.publishedGenerations,
  installation: TOKENS.installation,
};

export const WORKER_PORTS: Tokens<WorkerPorts> = { ...LASTING_PORTS, ...SESSION_PORTS };

/** The parts of a worker's session. */
export const SESSION = {
  ...SESSION_PORTS,
  readTables: token<WorkerConnection>('ReadTables'),
  dashboard: token<DashboardConnection>('Dashboard'),
};
