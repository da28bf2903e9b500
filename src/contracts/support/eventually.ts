import { setTimeout as pause } from 'node:timers/promises';

const LOOK_AGAIN_MS = 50;
/** No promise is measured with it: it ends what would hang, on whatever machine. */
const PATIENCE_MS = 60_000;

/** What the check answers, once it no longer throws; what it throws, if it still does at the deadline. */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  withinMs = PATIENCE_MS,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await pause(LOOK_AGAIN_MS);
  }
}
