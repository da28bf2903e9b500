import { setTimeout as pause } from 'node:timers/promises';
import { sendRequest } from '../../support/http/send-request.js';

const CALLERS = 8;
const PAUSE_MS = 5;
/** The encodings that browsers, older clients and the simplest clients accept. */
const ENCODINGS = [{ 'Accept-Encoding': 'gzip, deflate, br' }, { 'Accept-Encoding': 'gzip' }, {}];

/** The requests of callers in turn: for existing and missing content, invalid ones, and uncached ones. */
const REQUESTS: readonly ((n: number) => { path: string; expected: number })[] = [
  () => ({ path: '/api/v1/blogs', expected: 200 }),
  (n) => ({ path: `/api/v1/blogs?page=${1 + (n % 3)}`, expected: 200 }),
  (n) => ({ path: `/api/v1/blogs?search=${n}`, expected: 200 }),
  () => ({ path: '/api/v1/categories', expected: 200 }),
  () => ({ path: '/api/v1/tags', expected: 200 }),
  (n) => ({ path: `/api/v1/blogs/unknown-${n}`, expected: 404 }),
  () => ({ path: '/api/v1/blogs?limit=0', expected: 400 }),
];

/** Callers that send requests until they are stopped. */
export class MixedLoad {
  #sent = 0;
  #stopped = false;
  readonly #callers: Promise<unknown>;
  /** Answers with an unexpected status. */
  readonly unexpected: string[] = [];

  constructor(
    private readonly address: string,
    private readonly keys: readonly string[],
  ) {
    this.#callers = Promise.all(Array.from({ length: CALLERS }, () => this.#call()));
  }

  get sent(): number {
    return this.#sent;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#callers;
  }

  async #call(): Promise<void> {
    while (!this.#stopped) {
      const n = this.#sent++;
      const key = this.keys[n % this.keys.length] ?? '';
      const encoding = ENCODINGS[n % ENCODINGS.length];
      const { path, expected } = (REQUESTS[n % REQUESTS.length] as (typeof REQUESTS)[number])(n);
      const status = await sendRequest(this.address, path, { 'X-API-Key': key, ...encoding }).then(
        (answer) => answer.status,
        (error: Error) => error.message,
      );
      if (status !== expected) this.unexpected.push(`${path}: ${status} at ${new Date().toISOString()}`);
      await pause(PAUSE_MS);
    }
  }
}
