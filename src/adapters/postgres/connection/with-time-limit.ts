import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** A process that was busy first reads the replies that have arrived meanwhile. */
export async function withTimeLimit<Result>(
  result: Promise<Result>,
  withinMs: number,
  what: string,
): Promise<Result> {
  const late = new AbortController();
  const tooLate = async () => {
    await pause(withinMs, undefined, { signal: late.signal });
    await nextTurn();
    throw new Error(`no answer to ${what} within ${withinMs} ms`);
  };
  try {
    return await Promise.race([result, tooLate()]);
  } finally {
    late.abort();
    result.catch(() => {});
  }
}
