/** A value, or a promise of one. What is in memory is returned without a promise. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Adapters of others may return a promise of another library. */
export function isPending<Value>(value: Awaitable<Value>): value is Promise<Value> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/** Calls `next` at once if nothing has to be awaited. */
export function after<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isPending(value) ? value.then(next) : next(value);
}
