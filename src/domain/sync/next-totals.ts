import type { JobProgress, JobUpdate } from '../model/job.js';
import type { ReadModelUpdate } from '../model/read-model.js';
import type { PublishedGenerations } from '../ports/published-generations.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { nextStage } from './job-stages.js';

/** Blogs that are counted but neither read nor written, per row of the step size. */
const COUNTED_PER_ROW = 8;
/** An organization with few blogs also has a cost, and other writes wait for the whole step. */
const MAX_ORGANIZATIONS = 50;

/** Recounts as many organizations as fit into a stretch by their blogs. Recounts one stretch of an organization that has more. */
export async function nextTotals(
  writer: ReadModelWriter,
  shared: Pick<PublishedGenerations, 'published'>,
  id: number,
  progress: JobProgress,
  size: number,
): Promise<ReadModelUpdate> {
  const stretchSize = size * COUNTED_PER_ROW;
  const next = await writer.nextOrganizations(progress.after, Math.min(size, MAX_ORGANIZATIONS), stretchSize);
  if (next.length === 0) return skipTotals(id, progress, null);
  const generations = await Promise.all(next.map((organizationId) => shared.published(organizationId)));
  const organizations = next.map((organizationId, at) => ({
    organizationId,
    shownGeneration: generations[at] ?? 0,
    whenCounted: advancePast(id, progress, organizationId, at + 1),
  }));
  return {
    slices: [],
    recount: { organizations, stretchSize },
    work: [{ kind: 'advance', id, progress }],
  };
}

/** Leaves the totals of an organization as they are. Null: there is no further organization. */
export function skipTotals(
  id: number,
  progress: JobProgress,
  organizationId: string | null,
): ReadModelUpdate {
  const work: JobUpdate =
    organizationId === null
      ? { kind: 'advance', id, progress: nextStage(progress) }
      : advancePast(id, progress, organizationId, 1);
  return { slices: [], work: [work] };
}

function advancePast(id: number, progress: JobProgress, organizationId: string, passed: number): JobUpdate {
  return {
    kind: 'advance',
    id,
    progress: { ...progress, after: organizationId, done: progress.done + passed },
  };
}
