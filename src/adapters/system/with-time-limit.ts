/** The result of a promise, or an error after this time, so that a frozen server does not block the program that checks it. */
export function withTimeLimit<Result>(milliseconds: number, answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
