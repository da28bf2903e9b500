/** Names the setting of the database in the message of a failure. */
export async function naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    // Several addresses failed. The AggregateError itself has no message.
    const reasons = error instanceof AggregateError ? error.errors : [error];
    const messages = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
    throw new Error(`${variable}: ${messages.join('; ')}`, { cause: error });
  }
}
