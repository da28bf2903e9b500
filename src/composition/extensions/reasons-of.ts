/** One line each: what is told of a binding goes on about the container. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasonsOf);
  const message = error instanceof Error ? error.message : String(error);
  return [message.split('\n')[0] ?? ''];
}
