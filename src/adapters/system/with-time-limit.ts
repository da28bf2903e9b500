/** An error after this time; a process that was busy first reads what has arrived. */
export function withTimeLimit<Result>(milliseconds: number, answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
