import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');

/** How many bytes this process holds more for what `fill` gives back, in heap and buffers together, once garbage is collected. */
export async function bytesHeldBy(fill: () => unknown): Promise<number> {
  const before = await heldNow();
  const kept = [await fill()];
  const after = await heldNow();
  // Used after the look, so that it is alive until then.
  return kept.splice(0).length * (after.heapUsed + after.external - before.heapUsed - before.external);
}

async function heldNow(): Promise<NodeJS.MemoryUsage> {
  for (let n = 0; n < 4; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage();
}

/** How many bytes for each time are still held after `work` was done so often, while only the young generation was collected. */
export async function bytesGrownOldBy(work: () => unknown, times: number): Promise<number> {
  await work();
  const before = await heldNow();
  for (let n = 0; n < times; n++) {
    await work();
    if (n % 50 === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before.heapUsed) / times;
}
