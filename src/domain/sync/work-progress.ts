import type { WorkProgress } from '../model/sync-work.js';

export const BEGINNING: WorkProgress = { stage: 0, after: null, done: 0, total: null };

export function nextStage({ stage }: WorkProgress): WorkProgress {
  return { ...BEGINNING, stage: stage + 1 };
}
