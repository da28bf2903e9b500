/** Given at once where it is near at hand, else promised: to wait for what is there already costs a HIT more than to look it up. */
export type Awaitable<Value> = Value | Promise<Value>;
