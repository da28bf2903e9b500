import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 20_000;

/** Retries until it succeeds. After the time limit it fails with the last error. */
export async function eventually<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(20);
    }
  }
}
