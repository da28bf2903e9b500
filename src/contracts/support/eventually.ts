import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 50;
/** Not a measurement: it ends a test that would hang, sooner than Mocha and with a reason. */
const TIMEOUT_MS = 100_000;

/** Repeats the check until it does not throw, or throws its last error at the deadline. */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  withinMs = TIMEOUT_MS,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await pause(RETRY_MS);
  }
}
