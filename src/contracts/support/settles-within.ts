const SLICE_MS = 10;

/**
 * True as soon as the promise settles, false if it does not within this time. Time is measured in slices. A slice in which the machine was
 * too busy still counts as one, however long it took.
 */
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
