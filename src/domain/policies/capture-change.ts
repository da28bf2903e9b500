import type { CaptureChange, CaptureLook, NotedCapture } from '../model/capture.js';
import { ALL_AGAIN, API_KEYS_AGAIN, type JobUpdate } from '../model/job.js';

/** What a look at the change capture means, what to store of it, and what to read again. */
export interface JudgedCapture {
  readonly change: CaptureChange;
  readonly noted: NotedCapture;
  readonly jobs: readonly JobUpdate[];
}

/**
 * What a broken capture missed is unknown, so everything is read again once it is complete. API
 * keys are read at each check, since a revocation should not wait. If anything else has changed,
 * more may be readable, and what was missed is read at once.
 */
export function captureChange(before: NotedCapture, { broken, seen }: CaptureLook): JudgedCapture {
  const changed = before.seen === null ? [] : differences(before.seen, seen);
  if (broken.length > 0) {
    const isNew = !before.isBroken || changed.length > 0;
    const noted = { seen: before.seen === null ? null : seen, isBroken: true };
    return {
      change: { kind: isNew ? 'broken' : 'none' },
      noted,
      jobs: changed.length > 0 ? ALL_AGAIN : [API_KEYS_AGAIN],
    };
  }
  const noted = { seen, isBroken: false };
  if (changed.length === 0 && !before.isBroken) return { change: { kind: 'none' }, noted, jobs: [] };
  return { change: { kind: 'repaired', changed }, noted, jobs: ALL_AGAIN };
}

function differences(before: CaptureLook['seen'], now: CaptureLook['seen']): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).sort();
}
