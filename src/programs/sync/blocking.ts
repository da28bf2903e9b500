import { setTimeout as pause } from 'node:timers/promises';
import type { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { type BlockingSession, blockingSessions } from '../../adapters/postgres/inspect/blocking-sessions.js';
import { type LastLeader, lastLeader } from '../../adapters/postgres/inspect/sync-state.js';
import { LEADER_TIMEOUT_MS } from '../../composition/leader-timeout.js';
import { WORKER_NAME } from '../../composition/modules/session-modules.js';

/** A blocked worker waits for a second, and pauses for one: the queries cover the pause. */
const MAX_QUERIES = 6;
const PAUSE_MS = 250;

/** Sessions that block the worker, asked several times if its sessions may be failing. */
export async function sessionsBlockingWorker(
  database: WorkerConnection['database'],
): Promise<readonly BlockingSession[]> {
  for (let queries = 1; ; queries++) {
    const blocking = await blockingSessions(database, WORKER_NAME);
    if (blocking.length > 0 || queries === MAX_QUERIES || !mayFail(await lastLeader(database)))
      return blocking;
    await pause(PAUSE_MS);
  }
}

/** A worker whose sessions fail has always led for a short time only. */
function mayFail(leader: LastLeader | null): boolean {
  return leader !== null && leader.ledForMs < LEADER_TIMEOUT_MS;
}
