import type { WorkProgress, WorkUpdate } from '../model/sync-work.js';

export const BEGINNING: WorkProgress = { stage: 0, after: null, done: 0, total: null };

export function nextStage({ stage }: WorkProgress): WorkProgress {
  return { ...BEGINNING, stage: stage + 1 };
}

/** Behind the last one, in the next stage. */
export function behindOrganization(
  id: number,
  progress: WorkProgress,
  organizationId: string | null,
): WorkUpdate {
  return {
    kind: 'advance',
    id,
    progress:
      organizationId === null
        ? nextStage(progress)
        : { ...progress, after: organizationId, done: progress.done + 1 },
  };
}
