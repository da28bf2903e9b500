import type { Answer, AnswerKey } from '../../domain/model/answer.js';
import { requestName } from '../../domain/policies/answer-name.js';

/** What an entry takes in addition to its body and its name. For small answers, that is most. */
const BYTES_OF_ENTRY = 1_000;

/** The latest answer of this process to a request, fresh or not. */
export interface LatestAnswer {
  readonly answer: Answer;
  readonly generation: number;
  readonly storedAt: number;
  /** When its lifetime ends. */
  readonly expiresAt: number;
}

type Answers = Map<string, LatestAnswer>;

/**
 * The latest answers of this process, bounded in bytes: fresh ones for requests, outdated ones for
 * an outage. Those that were not asked for since half of the bytes were stored are dropped.
 */
export class ProcessAnswers {
  /** Not in the order of use, since each request would then change the Map: see ADR 21. */
  #recent: Answers = new Map();
  #recentBytes = 0;
  #earlier: Answers = new Map();

  constructor(private readonly maxBytes: number) {}

  find(organizationId: string, request: string): LatestAnswer | null {
    const name = requestName(organizationId, request);
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent;
    const earlier = this.#earlier.get(name);
    if (earlier === undefined) return null;
    this.#add(name, earlier);
    return earlier;
  }

  /** Also one of a lower generation: that of a slow reader, or of tables that were restored. */
  keep(
    { organizationId, generation, request }: AnswerKey,
    answer: Answer,
    storedAt: number,
    expiresAt: number,
  ): void {
    this.#add(requestName(organizationId, request), { answer, generation, storedAt, expiresAt });
  }

  /** For a request that has no answer any more. */
  forget(organizationId: string, request: string): void {
    this.#remove(requestName(organizationId, request));
  }

  #add(name: string, latest: LatestAnswer): void {
    this.#remove(name);
    const bytes = bytesOf(name, latest);
    if (bytes > this.maxBytes / 2) return;
    if (this.#recentBytes + bytes > this.maxBytes / 2) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#recentBytes = 0;
    }
    this.#recent.set(name, latest);
    this.#recentBytes += bytes;
  }

  #remove(name: string): void {
    this.#earlier.delete(name);
    const recent = this.#recent.get(name);
    if (recent === undefined) return;
    this.#recent.delete(name);
    this.#recentBytes -= bytesOf(name, recent);
  }
}

/** Setting the clock back does not extend a lifetime. */
export function isFresh({ storedAt, expiresAt }: LatestAnswer, now: number): boolean {
  return now >= storedAt && now < expiresAt;
}

/** The memory that is kept alive: all of a larger buffer, and two bytes for a character. */
function bytesOf(name: string, { answer: { body, etag } }: LatestAnswer): number {
  return body.buffer.byteLength + 2 * (name.length + etag.length) + BYTES_OF_ENTRY;
}
