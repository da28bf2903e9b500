/** Refusals that concern HTTP alone. */
export type RequestErrorCode =
  | 'unknown-path'
  | 'method-not-allowed'
  | 'invalid-parameters'
  | 'malformed-address';

export class RequestError extends Error {
  override readonly name = 'RequestError';

  /** `details`: what was wrong with this request, for the caller. */
  constructor(
    readonly code: RequestErrorCode,
    readonly details = '',
  ) {
    super(code);
  }
}
