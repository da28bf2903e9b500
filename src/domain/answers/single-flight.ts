/** Computations in progress, by name. Concurrent callers of the same name share one computation. */
export class SingleFlight<Value> {
  /** Not a Map: it would promote what it holds to the old generation of the heap, see ADR 21. */
  readonly #running: Record<string, Promise<Value>> = Object.create(null);

  run(name: string, compute: () => Promise<Value>): Promise<Value> {
    const running = this.#running[name];
    if (running !== undefined) return running;
    const computed = compute().finally(() => {
      delete this.#running[name];
    });
    this.#running[name] = computed;
    return computed;
  }
}
