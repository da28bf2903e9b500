/** Refusals that only concern HTTP. */
export type RequestErrorCode =
  | 'unknown-path'
  | 'method-not-allowed'
  | 'invalid-parameters'
  | 'malformed-address';

export class RequestError extends Error {
  override readonly name = 'RequestError';

  /** `details`: what was wrong with this request. It is sent to the caller. */
  constructor(
    readonly code: RequestErrorCode,
    readonly details = '',
  ) {
    super(code);
  }
}
