import { DomainError, type DomainErrorCode, KeyRefused } from '../../src/domain/errors.js';

/** Returns why something was refused. Throws if it was not refused, or if it failed for another reason. */
export async function refusalOf(attempt: Promise<unknown>): Promise<DomainErrorCode> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  throw new Error('It was not refused');
}

/** Returns why a key was refused, and its id if it is known. Throws in all other cases. */
export async function keyRefusalOf(
  attempt: () => unknown,
): Promise<{ readonly reason: string; readonly keyId: string | null }> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof KeyRefused) return { reason: error.reason, keyId: error.key?.id ?? null };
    throw error;
  }
  throw new Error('It was not refused');
}
