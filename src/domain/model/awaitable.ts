/** A value in memory, or a promise: awaiting the former costs a HIT more than its lookup. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Applies `use` to the value, immediately or when the promise resolves. */
export function mapAwaitable<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
