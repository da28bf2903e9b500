/**
 * The state of an organization's content from which one answer is read: at generation `since` or later, unless the storage has only an
 * older state.
 */
export interface Snapshot {
  readonly since: number;
  /** A reader reports which generation it read. */
  shows(generation: number): void;
}

/** Records the oldest state that was read. A reader that always reads the latest state reports nothing. */
export class RecordedSnapshot implements Snapshot {
  #generation: number;

  constructor(readonly since: number) {
    this.#generation = since;
  }

  shows(generation: number): void {
    this.#generation = Math.min(this.#generation, generation);
  }

  /** The content that was read has this generation or a later one. */
  get generation(): number {
    return this.#generation;
  }
}
