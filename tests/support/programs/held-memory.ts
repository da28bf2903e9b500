import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');

/** By how many bytes the result of `fill` enlarges heap and buffers of this process after garbage collection. */
export async function bytesHeldBy(fill: () => unknown): Promise<number> {
  const before = await heldNow();
  const kept = [await fill()];
  const after = await heldNow();
  // The value is used after the measurement, so that it is alive until then.
  return kept.splice(0).length * (after.heapUsed + after.external - before.heapUsed - before.external);
}

async function heldNow(): Promise<NodeJS.MemoryUsage> {
  for (let n = 0; n < 4; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage();
}

/**
 * How many bytes for each run of `work` are still held after so many runs, if only the young generation is collected. The
 * smallest of three measurements: what else the process does at that moment adds to one of them.
 */
export async function bytesGrownOldBy(work: () => unknown, times: number): Promise<number> {
  const measured: number[] = [];
  for (let n = 0; n < 3; n++) measured.push(await measureGrowth(work, times));
  return Math.min(...measured);
}

async function measureGrowth(work: () => unknown, times: number): Promise<number> {
  await work();
  const before = await heldNow();
  for (let n = 0; n < times; n++) {
    await work();
    if (n % 50 === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before.heapUsed) / times;
}
