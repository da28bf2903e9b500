/** One line each, without the details that the container appends for a binding. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasonsOf);
  const message = error instanceof Error ? error.message : String(error);
  return [message.split('\n')[0] ?? ''];
}
