const MAX_REASON_LENGTH = 500;
/** The driver puts the statement before the cause, with ` - ` in between. */
const STATEMENT =
  /^\s*(analyze|begin|close|commit|create|declare|delete|drop|fetch|insert|lock|rollback|savepoint|select|set|show|start|truncate|update|with)\b.* - /is;

/** The cause of a failure, with its SQLSTATE if it has one, without the statement that failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const cause = error.message.replace(STATEMENT, '').slice(0, MAX_REASON_LENGTH);
  const code = 'code' in error ? String(error.code) : '';
  return code === '' || cause.includes(code) ? cause : `${code}: ${cause}`;
}
