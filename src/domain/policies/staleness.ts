import type { LastAnswer } from '../model/answer.js';

/** How long outdated content may be served while the read tables are unavailable. */
export class Staleness {
  constructor(private readonly maxAgeMs: number) {}

  /** `keyGeneration` is the generation at which the caller's key was found valid. A later one may have revoked it. */
  mayServe(
    { generation, expiresAt }: LastAnswer,
    lifetimeMs: number,
    keyGeneration: number,
    now: number,
  ): boolean {
    // More than a whole lifetime is left if the clock was set back.
    const isOfThePast = expiresAt - now <= lifetimeMs;
    return generation <= keyGeneration && isOfThePast && now < expiresAt + this.maxAgeMs;
  }

  /** Whether a generation that was read at `readAt` may be used as the current one. */
  mayUseGeneration(readAt: number, now: number): boolean {
    const age = now - readAt;
    // Negative if the clock was set back.
    return age >= 0 && age < this.maxAgeMs;
  }
}
