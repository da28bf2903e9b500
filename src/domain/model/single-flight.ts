/**
 * What is being computed, by name: callers who want the same at the same time share one computation.
 *
 * Not a Map: V8 links each table that a Map outgrows to the next, and one that has grown old keeps all that follow, with what they held,
 * until the next full collection of garbage. Most answers would be among that.
 */
export class SingleFlight<Value> {
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
