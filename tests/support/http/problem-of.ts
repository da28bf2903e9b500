import { BlogApiError } from '../../../src/client/blog-api-error.js';

/** What a call of the client fails with; fails itself if the call does not, or with what is none of the client's errors. */
export async function problemOf(call: Promise<unknown>): Promise<BlogApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof BlogApiError) return error;
    throw error;
  }
  throw new Error('The call did not fail');
}
