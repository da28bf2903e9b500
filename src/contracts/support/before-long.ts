const SLICE_MS = 10;

/**
 * True once the promise is settled; false if it is not within this time. Time passes in slices, and one in which the machine was
 * too busy to look counts as one, however long it was.
 */
export function beforeLong(promise: Promise<unknown>, millis = 4_000): Promise<boolean> {
  return new Promise((resolve) => {
    let slicesLeft = millis / SLICE_MS;
    const end = (isSettled: boolean) => {
      clearInterval(timer);
      resolve(isSettled);
    };
    const timer = setInterval(() => {
      slicesLeft--;
      // What has happened by now is heard of first.
      if (slicesLeft <= 0) setImmediate(end, false);
    }, SLICE_MS);
    promise.then(
      () => end(true),
      () => end(true),
    );
  });
}
