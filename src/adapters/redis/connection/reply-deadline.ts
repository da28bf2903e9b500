const SLICES = 10;

/**
 * Counts time in slices, and a slice in which this process was too busy to check once. A single
 * timer would reject replies that have arrived and wait to be read.
 */
export function withDeadline<Reply>(milliseconds: number, reply: Promise<Reply>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let slicesLeft = SLICES;
    const timer = setInterval(() => {
      slicesLeft--;
      if (slicesLeft > 0) return;
      clearInterval(timer);
      // Replies that have already arrived are read first.
      setImmediate(() => reject(new Error(`Redis did not answer within ${milliseconds} ms`)));
    }, milliseconds / SLICES);
    reply.then(resolve, reject).finally(() => clearInterval(timer));
  });
}
