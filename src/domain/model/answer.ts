/** A finished response body; serving it again costs no query and no rendering. */
export interface Answer {
  readonly body: Uint8Array;
  readonly etag: string;
}

export interface KeptAnswer {
  readonly answer: Answer;
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
