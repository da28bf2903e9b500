import type { LastAnswer } from '../model/answer.js';
import { requestName } from '../policies/answer-name.js';

/** As many as a process caches, with which they share their bodies. */
const MAX_BYTES = 15 * 1024 * 1024;
/** What an entry takes in addition to its body and its name. */
const BYTES_OF_ENTRY = 1_000;

/**
 * The last answer of this process to each request, for when none can be computed. Those that were
 * not served for longest are dropped first.
 */
export class LastAnswers {
  /** A Map keeps insertion order. */
  readonly #answers = new Map<string, LastAnswer>();
  #bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  find(organizationId: string, request: string): LastAnswer | null {
    return this.#answers.get(requestName(organizationId, request)) ?? null;
  }

  /** A slow reader may have an answer of an earlier generation. */
  keep(organizationId: string, request: string, answer: LastAnswer): void {
    const name = requestName(organizationId, request);
    const last = this.#answers.get(name);
    if (last !== undefined && last.generation > answer.generation) return;
    this.#remove(name);
    const bytes = bytesOf(name, answer);
    if (bytes > this.maxBytes) return;
    this.#answers.set(name, answer);
    this.#bytes += bytes;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      this.#remove(oldest);
    }
  }

  /** For a request that has no answer any more. */
  forget(organizationId: string, request: string): void {
    this.#remove(requestName(organizationId, request));
  }

  #remove(name: string): void {
    const answer = this.#answers.get(name);
    if (answer === undefined) return;
    this.#answers.delete(name);
    this.#bytes -= bytesOf(name, answer);
  }
}

function bytesOf(name: string, { answer }: LastAnswer): number {
  return answer.body.byteLength + 2 * name.length + BYTES_OF_ENTRY;
}
