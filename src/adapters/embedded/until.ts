import { setTimeout as sleep } from 'node:timers/promises';

/** Asks `probe` again and again until it answers something, or `limitMs` have passed: then null. */
export async function until<T>(
  limitMs: number,
  probe: (elapsedMs: number) => Promise<T | null>,
): Promise<T | null> {
  const begin = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - begin;
    const answer = await probe(elapsedMs);
    if (answer !== null || elapsedMs >= limitMs) return answer;
    await sleep(15);
  }
}
