import { expect } from 'chai';
import type { ReadModelWriter } from '../../../src/domain/ports/read-model-writer.js';
import type { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { SteppedWorker } from '../support/sync/stepped-worker.js';

/** The number of workers that may fail while they finish the work of a killed one. */
const MAX_WORKERS = 5;

/**
 * Expects that an undisturbed worker finishes the remaining work. A worker waits only briefly for locks of a dead
 * worker's last statement and then fails; the next one continues. `watch` wraps the writer.
 */
export async function recovers(
  databases: SyncedDatabases,
  watch = (writer: ReadModelWriter) => writer,
): Promise<void> {
  for (let isDone = false, workers = 0; !isDone && workers < MAX_WORKERS; workers++) {
    const worker = new SteppedWorker(databases, watch);
    try {
      await worker.finish();
      isDone = !worker.isOver;
    } finally {
      await worker.end();
    }
  }
  expect(await databases.present()).to.deep.equal(await databases.expected());
  expect(await databases.queueLength(), 'changes in the queue').to.equal(0);
  expect((await databases.unfinishedJobs()).map(({ scope }) => scope)).to.deep.equal(['check']);
  expect(await databases.repairs(), 'repairs').to.equal(0);
}
