import { expect } from 'chai';
import type { ReadModelWriter } from '../../../src/domain/ports/read-model-writer.js';
import { SteppedWorker } from './stepped-worker.js';
import type { SyncedDatabases } from './synced-databases.js';

/** Of those that do what a dead one has left. */
const MOST_WORKERS = 5;

/**
 * Expects that a worker that nothing happens to does what is left. What the last statement of a dead one holds, one waits for for a moment only:
 * then the next one comes. `watch` stands round the writer.
 */
export async function recovers(
  databases: SyncedDatabases,
  watch = (writer: ReadModelWriter) => writer,
): Promise<void> {
  for (let isDone = false, workers = 0; !isDone && workers < MOST_WORKERS; workers++) {
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
  expect((await databases.unfinishedWork()).map(({ scope }) => scope)).to.deep.equal(['check']);
  expect(await databases.repairs(), 'repairs').to.equal(0);
}
