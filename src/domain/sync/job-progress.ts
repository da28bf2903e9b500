import type { JobProgress } from '../model/sync-work.js';

export const BEGINNING: JobProgress = { stage: 0, after: null, done: 0, total: null };

export function nextPhase({ stage }: JobProgress): JobProgress {
  return { ...BEGINNING, stage: stage + 1 };
}
