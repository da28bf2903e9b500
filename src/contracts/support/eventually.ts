import { setTimeout as pause } from 'node:timers/promises';

const LOOK_AGAIN_MS = 50;
/** Not a measurement: it only ends a test that would hang, on any machine. */
const PATIENCE_MS = 60_000;

/** The result of the check once it does not throw any more. Throws its error if it still fails at the deadline. */
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
