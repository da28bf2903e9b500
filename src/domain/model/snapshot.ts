/** The state that an answer is read from: at `since` or later, if the storage has that. */
export interface Snapshot {
  readonly since: number;
  /** A reader reports which generation it read. */
  shows(generation: number): void;
}

/** For callers to whom any state will do. */
export const ANY_SNAPSHOT: Snapshot = { since: 0, shows: () => {} };

/** Records the oldest state that was read; nothing, if the latest state is always read. */
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
