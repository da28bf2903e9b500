import { connectWorker } from '../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../src/adapters/sql/worker-connection.js';

const NO_LIMITS = { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' };

/** A connection like that of a worker, whose statements may take as long as a busy machine needs. */
export function patientConnection(url: string): WorkerConnection {
  return connectWorker(url, 'test', false, NO_LIMITS);
}
