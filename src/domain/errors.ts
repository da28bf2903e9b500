import type { ApiKey } from './model/api-key.js';

/** Why a request is refused. The driving adapter decides how the refusal looks to the caller. */
export type DomainErrorCode = 'unauthenticated' | 'over-limit' | 'blog-not-found';

export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(readonly code: DomainErrorCode) {
    super(code);
  }
}

export type KeyRefusal = 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked';

/** Operators see the reason and the key, if it is known; callers see neither. */
export class KeyRefused extends DomainError {
  constructor(
    readonly reason: KeyRefusal,
    readonly key: ApiKey | null,
  ) {
    super('unauthenticated');
  }
}

/**
 * What an error is, by its code: the server or the moment; a right, table, column or function that
 * is missing, so no row is at fault; or anything else, which may be a row's.
 */
export type Fault = 'outage' | 'kind' | 'row';

/** Known by its name, because an external adapter may load another copy of these classes. */
class NamedError extends Error {
  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: it is the class to the right of `instanceof`.
    return error instanceof Error && error.name === this.name;
  }
}

/** A wrong argument of an operator's command. */
export class UnknownInDashboard extends NamedError {
  override readonly name = 'UnknownInDashboard';

  constructor(what: 'key' | 'organization', id: string) {
    super(`There is no ${what} "${id}" in the dashboard's database.`);
  }
}

/** The worker does not lead the sync any more and may not write. */
export class LeadershipLost extends NamedError {
  override readonly name = 'LeadershipLost';

  /** Null: the connection that held the leadership ended. */
  constructor(epoch: number | null) {
    super(
      epoch === null
        ? 'The connection ended, and with it the leadership of this worker'
        : `The leadership with epoch ${epoch} has ended: another worker leads, or its connection ended`,
    );
  }
}

/**
 * The storage can never hold one of the rows, or the source cannot read it. The message gives the
 * reason, not the row.
 */
export class RowRefused extends NamedError {
  override readonly name = 'RowRefused';
}

/** A query of the dashboard took too long; repeating it would only load the dashboard. */
export class SourceTooSlow extends NamedError {
  override readonly name = 'SourceTooSlow';
}

/** A right, table, column or function is missing, so no row is at fault. */
export class KindFails extends NamedError {
  override readonly name = 'KindFails';
}
