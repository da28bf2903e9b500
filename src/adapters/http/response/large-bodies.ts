import { setImmediate as nextTurn } from 'node:timers/promises';

/** Below this, a body takes less time than a query. */
const LARGE_BYTES = 256 * 1024;

export function isLarge({ byteLength }: Uint8Array): boolean {
  return byteLength > LARGE_BYTES;
}

/** Large bodies are worked on one at a time, each in a turn of the event loop of its own. */
export class LargeBodies {
  #lastTurn: Promise<unknown> = Promise.resolve();

  inTurn<Result>(workOn: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastTurn.then(() => nextTurn()).then(workOn);
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }
}
