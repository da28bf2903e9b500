import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** How many bytes this process holds more for what `fill` gives back, in heap and buffers together, once garbage is collected. */
export async function bytesHeldBy(fill: () => unknown): Promise<number> {
  const before = await heldNow();
  const kept = [await fill()];
  const after = await heldNow();
  // Used after the look, so that it is alive until then.
  return kept.splice(0).length * (after - before);
}

async function heldNow(): Promise<number> {
  for (let n = 0; n < 4; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
