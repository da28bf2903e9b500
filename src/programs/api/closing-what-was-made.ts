import { inTime } from '../../adapters/system/in-time.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { ExtendedContainer } from '../../composition/extensions/extend.js';

const CLOSE_WITHIN_MS = 5_000;

/** Makes a program. What was made for it is closed where the rest cannot be made. */
export async function closingWhatWasMade<Program>(
  traces: Tracing | null,
  extended: ExtendedContainer,
  make: () => Program,
): Promise<Program> {
  try {
    return make();
  } catch (error) {
    // Why it could not be made is told, and not what that left behind.
    await inTime(CLOSE_WITHIN_MS, extended.container.unbindAllAsync()).catch(() => {});
    await traces?.stop();
    throw error;
  }
}
