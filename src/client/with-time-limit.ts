import { BlogApiError } from './blog-api-error.js';

/** Gives the work a signal that is aborted when the caller's is, or after so long. */
export async function withTimeLimit<Result>(
  millis: number,
  caller: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // By hand and not with AbortSignal.any(): that one stays with a signal which the caller keeps for long.
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
