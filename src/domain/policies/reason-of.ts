const MAX_REASON_LENGTH = 500;

/** The cause of a failure, after the code of its server if it has one. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const cause = error.message.slice(0, MAX_REASON_LENGTH);
  const code = codeOf(error);
  return code === '' || cause.includes(code) ? cause : `${code}: ${cause}`;
}

/** The code of a server or of the operating system. Empty: it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
