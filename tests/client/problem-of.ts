import { BlogApiError } from '../../src/client/blog-api-error.js';

/**
 * The error with which a call of the client fails. Throws if the call succeeds or if the error is not one of the
 * client's.
 */
export async function problemOf(call: Promise<unknown>): Promise<BlogApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof BlogApiError) return error;
    throw error;
  }
  throw new Error('The call succeeded');
}
