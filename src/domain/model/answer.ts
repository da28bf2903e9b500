/** A finished response body with all that is needed to send it: serving it again costs no query and no rendering. */
export interface Answer {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** Where a kept answer was found: in this process's own memory, or in what all processes share. */
export type CacheLevel = 'process' | 'shared';

export interface KeptAnswer {
  readonly answer: Answer;
  readonly level: CacheLevel;
}

/** As it was kept, whether it may still be served or not. */
export interface LastAnswer {
  readonly answer: Answer;
  readonly generation: number;
  /** The end of its lifetime. */
  readonly expiresAt: number;
}

/** Names an answer for good: another generation of the organization's content is another key. */
export interface AnswerKey {
  readonly organizationId: string;
  readonly generation: number;
  /** The request in canonical form: equal requests, however they were written, have equal text. */
  readonly request: string;
}
