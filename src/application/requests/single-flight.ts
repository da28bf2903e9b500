/** Computations in progress, by name. Concurrent callers of the same name share one computation. */
export class SingleFlight<Value> {
  readonly #running = new Map<string, Promise<Value>>();

  share(name: string, compute: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const computed = compute().finally(() => this.#running.delete(name));
    this.#running.set(name, computed);
    return computed;
  }
}
