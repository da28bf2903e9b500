import { DomainError, type DomainErrorCode, KeyRefused } from '../../../src/domain/errors.js';

/** Why something was refused; fails if it was not, or broke for another reason. */
export async function refusalOf(attempt: Promise<unknown>): Promise<DomainErrorCode> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  throw new Error('It was not refused');
}

/** Why a key was refused, and which one, if it is known; fails if it was not, or broke for another reason. */
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
