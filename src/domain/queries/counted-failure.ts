import type { Verdict } from '../policies/sliding-window.js';

/** Something broke after the request was counted: `cause` says what, and the verdict where the window stands. */
export class CountedFailure extends Error {
  override readonly name = 'CountedFailure';

  constructor(
    readonly verdict: Verdict,
    cause: unknown,
  ) {
    super('A request failed after it was counted', { cause });
  }
}
