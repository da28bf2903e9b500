/** A process ended before it was ready. It has already logged the reason. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';

  constructor(readonly exitCode: number) {
    super(`an API process ended with exit code ${exitCode} before it was ready`);
  }
}
