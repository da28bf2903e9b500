import { BlogApiError } from './blog-api-error.js';

/** Calls the work with a signal that is aborted with the caller's signal, or after the time limit. */
export async function withTimeLimit<Result>(
  millis: number,
  caller: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Not AbortSignal.any(): it would stay registered with a signal that the caller keeps for a long time.
  const limited = new AbortController();
  const abort = () => limited.abort(caller?.reason);
  const late = () => limited.abort(new BlogApiError('timeout', `No answer within ${millis} ms`));
  const timer = setTimeout(late, millis);
  caller?.addEventListener('abort', abort);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', abort);
  }
}
