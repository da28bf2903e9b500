/** A value if it is in memory, otherwise a promise. For a HIT, awaiting a value in memory costs more than the lookup. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Applies `use` to the value, immediately or when the promise resolves. */
export function mapAwaitable<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
