import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `probe` repeatedly until it returns a result. Null after `limitMs`. */
export async function until<T>(
  limitMs: number,
  probe: (elapsedMs: number) => Promise<T | null>,
): Promise<T | null> {
  const begin = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - begin;
    const result = await probe(elapsedMs);
    if (result !== null || elapsedMs >= limitMs) return result;
    await sleep(15);
  }
}
