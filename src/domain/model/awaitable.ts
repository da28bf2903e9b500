/** Given at once where it is in memory, else promised: to wait for what is there already costs a HIT more than to look it up. */
export type Awaitable<Value> = Value | Promise<Value>;

/** What comes of it, at once or as soon as it is there. */
export function whenThere<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
