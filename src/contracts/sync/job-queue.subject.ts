import { expect } from 'chai';
import type { Job, JobProgress, JobUpdate, WideKind } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';

export interface JobQueueSubject {
  /** Of a read model that was never filled and is used by this test only. */
  readonly subject: JobQueue;
  /** Of the same read model. */
  readonly writer: ReadModelWriter;
  readonly leadership: Leadership;
}

export const WIDE: readonly WideKind[] = ['categories', 'tags', 'websites'];
export const BEGUN: JobProgress = { stage: 0, after: 'a', done: 1, total: null };

/** Only the leader's writes add, advance and finish jobs. */
export async function updateUnderLead({ writer, leadership }: JobQueueSubject) {
  const epoch = await leadership.claim(null);
  if (epoch === null) throw new Error('Another writer leads');
  return async (...jobs: readonly JobUpdate[]): Promise<void> => {
    const change = await writer.write(epoch, { slices: [], jobs });
    expect(change).to.deep.equal({ changedRows: 0, raised: [] });
  };
}

export function jobIn(job: Job | null): Job {
  if (job === null) throw new Error('There is no job');
  return job;
}
