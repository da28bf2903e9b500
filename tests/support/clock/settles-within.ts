const SLICE_MS = 10;

/** Time is measured in slices: one in which the machine was too busy counts once. */
export function settlesWithin(promise: Promise<unknown>, millis = 4_000): Promise<boolean> {
  return new Promise((resolve) => {
    let slicesLeft = millis / SLICE_MS;
    const end = (isSettled: boolean) => {
      clearInterval(timer);
      resolve(isSettled);
    };
    const timer = setInterval(() => {
      slicesLeft--;
      // Events that have already happened are handled first.
      if (slicesLeft <= 0) setImmediate(end, false);
    }, SLICE_MS);
    promise.then(
      () => end(true),
      () => end(true),
    );
  });
}
