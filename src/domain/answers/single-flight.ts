/** Computations in progress, by name. Concurrent callers of the same name share one computation. */
export class SingleFlight<Value> {
  /** Not a Map: it would promote what it holds to the old generation of the heap, see ADR 21. */
  readonly #running: Record<string, Promise<Value>> = Object.create(null);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get(name: string): Promise<Value> | undefined {
    return this.#running[name];
  }

  run(name: string, compute: () => Promise<Value>): Promise<Value> {
    const running = this.#running[name];
    if (running !== undefined) return running;
    const computed = compute().finally(() => {
      delete this.#running[name];
      this.#count--;
    });
    this.#running[name] = computed;
    this.#count++;
    return computed;
  }
}
