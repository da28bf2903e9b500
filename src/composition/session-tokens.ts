import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import type { WorkerPorts } from './extensions/extension.js';
import { TOKENS, type Tokens, token } from './tokens.js';

/** Ports that a worker has for as long as it runs. */
export const LASTING_PORTS = { log: TOKENS.log, metrics: TOKENS.metrics };

/** The other ones belong to a session, which lasts until the first failure. */
export const SESSION_PORTS = {
  leadership: token<WorkerPorts['leadership']>('Leadership'),
  readModelWriter: token<WorkerPorts['readModelWriter']>('ReadModelWriter'),
  jobQueue: token<WorkerPorts['jobQueue']>('JobQueue'),
  syncNotes: token<WorkerPorts['syncNotes']>('SyncNotes'),
  generationTable: TOKENS.generationTable,
  changeFeed: token<WorkerPorts['changeFeed']>('ChangeFeed'),
  contentSource: token<WorkerPorts['contentSource']>('ContentSource'),
  publishedGenerations: TOKENS.publishedGenerations,
  installation: TOKENS.installation,
};

export const WORKER_PORTS: Tokens<WorkerPorts> = { ...LASTING_PORTS, ...SESSION_PORTS };

/** The parts of a worker's session. */
export const SESSION = {
  ...SESSION_PORTS,
  readTables: token<WorkerConnection>('ReadTables'),
  dashboard: token<MappedConnection>('Dashboard'),
};
