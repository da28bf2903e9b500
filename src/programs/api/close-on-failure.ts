import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { ExtendedContainer } from '../../composition/extensions/extend.js';

const CLOSE_TIMEOUT_MS = 5_000;

/** Creates a program. If one part cannot be created, the others are closed. */
export async function closeOnFailure<Program>(
  traces: Tracing | null,
  extended: ExtendedContainer,
  make: () => Program,
): Promise<Program> {
  try {
    return make();
  } catch (error) {
    // The caller needs the reason for the failure, not a second error from the cleanup.
    await withTimeLimit(CLOSE_TIMEOUT_MS, extended.container.unbindAllAsync()).catch(() => {});
    await traces?.stop();
    throw error;
  }
}
