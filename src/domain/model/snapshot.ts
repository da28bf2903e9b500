/**
 * The state of an organization's content that one answer is to be read from: of the generation `since` or a later one, unless the storage
 * has only an older one.
 */
export interface Snapshot {
  readonly since: number;
  /** A reader tells which generation it read. */
  shows(generation: number): void;
}

/** One that knows the oldest state that was read. A reader that cannot read an older one than the latest has nothing to tell. */
export class NotedSnapshot implements Snapshot {
  #generation: number;

  constructor(readonly since: number) {
    this.#generation = since;
  }

  shows(generation: number): void {
    this.#generation = Math.min(this.#generation, generation);
  }

  /** What is shown is of this generation or a later one. */
  get generation(): number {
    return this.#generation;
  }
}
