import type { LastAnswer } from '../model/answer.js';

/** How long content that may be outdated stands in while the read tables are away. */
export class Staleness {
  constructor(private readonly longestMs: number) {}

  /** `judgedAt` is the generation at which the caller's key was found valid: a later one may have revoked it. */
  mayShow({ generation, expiresAt }: LastAnswer, judgedAt: number, now: number): boolean {
    return generation <= judgedAt && now < expiresAt + this.longestMs;
  }

  /** Whether a generation that was read then may be taken for the present one. */
  mayGoBy(readAt: number, now: number): boolean {
    const age = now - readAt;
    // Below 0 where the clock was set back.
    return age >= 0 && age < this.longestMs;
  }
}
