/** What is promised, or an error after this time: whoever looks at a server that froze must not freeze with it. */
export function inTime<Result>(milliseconds: number, answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
