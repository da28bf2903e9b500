/** Computations in progress, by name. Concurrent callers of the same name share one computation. */
export class SingleFlight<Value> {
  /** Not a Map: it would promote what it holds to the old generation of the heap, see ADR 21. */
  readonly #underway: Record<string, Promise<Value>> = Object.create(null);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get(name: string): Promise<Value> | undefined {
    return this.#underway[name];
  }

  run(name: string, compute: () => Promise<Value>): Promise<Value> {
    const underway = this.#underway[name];
    if (underway !== undefined) return underway;
    const computed = compute().finally(() => {
      delete this.#underway[name];
      this.#count--;
    });
    this.#underway[name] = computed;
    this.#count++;
    return computed;
  }
}
