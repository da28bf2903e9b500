import { DomainError, type DomainErrorCode } from '../../../src/domain/errors.js';

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
