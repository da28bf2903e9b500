import type { JobProgress } from '../model/job.js';
import type { RaisedGeneration, ReadModelUpdate } from '../model/read-model.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { nextStage } from './job-stages.js';

/** Organizations whose generation is raised and published, per row of the step size. */
const RAISED_PER_ROW = 4;

/** An organization that a change raises meanwhile moves above the position and is not visited again. */
export async function nextGenerations(
  writer: ReadModelWriter,
  id: number,
  progress: JobProgress,
  size: number,
): Promise<ReadModelUpdate> {
  const { after, done } = progress;
  const before = after === null ? null : (JSON.parse(after) as RaisedGeneration);
  const next = await writer.raisedBefore(before, size * RAISED_PER_ROW);
  const last = next.at(-1);
  if (last === undefined) {
    return { slices: [], work: [{ kind: 'advance', id, progress: nextStage(progress) }] };
  }
  return {
    slices: [],
    raise: next.map(({ organizationId }) => organizationId),
    work: [
      {
        kind: 'advance',
        id,
        progress: { ...progress, after: JSON.stringify(last), done: done + next.length },
      },
    ],
  };
}
