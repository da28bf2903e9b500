/** Throws the reason of the signal as soon as it is aborted. */
export function waitFor(millis: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settled();
    };
    const abort = () => settle(() => reject(signal?.reason));
    const timer = setTimeout(() => settle(resolve), millis);
    signal?.addEventListener('abort', abort);
  });
}
