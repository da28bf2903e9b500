import { BlogApiError } from './blog-api-error.js';

/** The signal is aborted with the caller's, or after the time limit. */
export async function withTimeLimit<Result>(
  millis: number,
  caller: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Not AbortSignal.any(), which would stay registered with a signal that lives long.
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
