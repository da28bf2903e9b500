/** True once the promise is settled; false if it is not within this time. */
export function beforeLong(promise: Promise<unknown>, millis = 1000): Promise<boolean> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => resolve(false), millis);
    const settle = () => {
      clearTimeout(deadline);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}
