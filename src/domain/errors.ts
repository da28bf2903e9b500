/** Why a request is refused. How a refusal looks to the caller is the driving adapter's business. */
export type DomainErrorCode = 'unauthenticated' | 'over-limit' | 'blog-not-found';

export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(readonly code: DomainErrorCode) {
    super(code);
  }
}

/** Whoever led the sync leads no more, and may not write. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';

  static override [Symbol.hasInstance](error: unknown): boolean {
    return isNamed('LeadershipLost', error);
  }

  /** Null: its connection ended, and the lead with it. */
  constructor(epoch: number | null) {
    super(
      epoch === null
        ? 'Connection ended: the lead that began on it is over'
        : `The lead of epoch ${epoch} is over: another worker leads, or its connection ended`,
    );
  }
}

/** The storage cannot hold a row, whatever is tried: the message says why, not which. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused';

  static override [Symbol.hasInstance](error: unknown): boolean {
    return isNamed('RowRefused', error);
  }
}

/** A question to the dashboard took longer than the worker lets any take. Asked again at once, it would do nothing but load the dashboard. */
export class SourceTooSlow extends Error {
  override readonly name = 'SourceTooSlow';

  static override [Symbol.hasInstance](error: unknown): boolean {
    return isNamed('SourceTooSlow', error);
  }
}

/** An adapter from outside may find another copy of this package than the program that loads it: its errors are of other classes. */
function isNamed(name: string, error: unknown): boolean {
  return error instanceof Error && error.name === name;
}
