/** A finished response body; serving it again costs no query and no rendering. */
export interface Answer {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** In the memory of this process, or in the cache that all processes share. */
export type CacheLevel = 'process' | 'shared';

export interface KeptAnswer {
  readonly answer: Answer;
  readonly level: CacheLevel;
  /** When its lifetime ends. */
  readonly expiresAt: number;
}

/** An answer that was current, even if it may not be served any more. */
export interface LastAnswer {
  readonly answer: Answer;
  readonly generation: number;
  /** When its lifetime ends. */
  readonly expiresAt: number;
}

/** Identifies an answer. Each generation of the organization's content has its own key. */
export interface AnswerKey {
  readonly organizationId: string;
  readonly generation: number;
  /** The request in canonical form. Equal requests have equal text, however they were written. */
  readonly request: string;
}
