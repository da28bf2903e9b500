import type { Verdict } from '../policies/sliding-window.js';

/** A failure after the request was counted. `cause` is the error, and the verdict is the state of the window. */
export class CountedFailure extends Error {
  override readonly name = 'CountedFailure';

  constructor(
    readonly verdict: Verdict,
    cause: unknown,
  ) {
    super('A request failed after it was counted', { cause });
  }
}
