const MAX_REASON_LENGTH = 500;
const MAX_STATEMENT_LENGTH = 300;

/** The cause of a failure, after the code of its server if it has one. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const cause = error.message.slice(0, MAX_REASON_LENGTH);
  const code = 'code' in error ? String(error.code) : '';
  return code === '' || cause.includes(code) ? cause : `${code}: ${cause}`;
}

/** Knex puts the statement before the cause. It becomes a property of its own, and is cut. */
export function separateStatement(error: Error, statement: string): void {
  const beforeCause = `${statement} - `;
  if (!error.message.startsWith(beforeCause)) return;
  error.message = error.message.slice(beforeCause.length);
  Object.assign(error, { statement: statement.slice(0, MAX_STATEMENT_LENGTH) });
}
