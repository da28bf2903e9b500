import type { RaisedGeneration } from '../../model/read-model.js';

export interface GenerationQuestion {
  /** Raises above this generation are asked for. */
  readonly above: number;
  readonly limit: number;
  readonly organizationIds: readonly string[];
}

export interface SyncAge {
  readonly isStandby: boolean;
  /** Since the last beat of a leading worker, by the server's clock. Infinity: there was none. */
  readonly syncAgeMs: number;
}

/** What one server says, all from one state. */
export interface GenerationReading extends SyncAge {
  /** Changes when another server answers, and when one has restarted: it may have lost changes. */
  readonly server: string;
  /** The highest generation of all organizations. 0: there is none. */
  readonly newest: number;
  /** Organizations above the generation of the question, no more than its limit. */
  readonly raised: readonly RaisedGeneration[];
  /** Of the question's organizations, without those that never had any content or keys. */
  readonly current: ReadonlyMap<string, number>;
}

/**
 * The generation of an organization grows with every change of its content or keys, above those of
 * all organizations, and never returns to an old value. So whoever remembers the highest that it
 * has seen misses no change, and an answer cached under one is never used after a change.
 */
export interface Generations {
  read(question: GenerationQuestion): Promise<GenerationReading>;
}
