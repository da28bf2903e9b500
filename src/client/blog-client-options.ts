import { waitFor } from './wait-for.js';
import type { RetryPolicy } from './with-retries.js';

/** An answer that may be outdated. */
export interface StaleAnswer {
  /** Of the request, with its query. */
  readonly path: string;
  /** That it shows. */
  readonly generation: number;
  /** Since it was computed. */
  readonly ageSeconds: number;
}

export interface BlogClientOptions {
  /** Where the public port of the API is reached, such as `https://content.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  /** Of one attempt, from the request to the end of its answer; 10,000 if left out. */
  readonly timeLimitMs?: number;
  /** How often a request that failed is tried again; 3 if left out. */
  readonly retries?: number;
  /** The longest wait that the API may ask for, else the client gives up at once; 60,000 if left out, the window of the limit. */
  readonly longestWaitMs?: number;
  /** How long an answer is given again without asking whether it has changed; 0 if left out. Each time of asking counts against the limit. */
  readonly freshForMs?: number;
  /** Told of each answer that may be outdated, which an API that cannot read the present content may give. Nobody is, if left out. */
  readonly onStale?: (answer: StaleAnswer) => void;
  /** How much is remembered of addresses and answers, to be asked for again only if it has changed; 10,000,000 if left out. */
  readonly rememberedCharacters?: number;
  /** What requests are sent with; the global one if left out. */
  readonly fetch?: typeof globalThis.fetch;
  /** What waits before a retry, for tests with a clock of their own. */
  readonly wait?: RetryPolicy['wait'];
}

export type BlogClientSettings = Required<BlogClientOptions>;

/** With what was left out; refuses what could never work. */
export function settingsOf({
  url,
  apiKey,
  timeLimitMs = 10_000,
  retries = 3,
  longestWaitMs = 60_000,
  freshForMs = 0,
  onStale = () => {},
  rememberedCharacters = 10_000_000,
  // Looked up at each request, and called as a function of its own: browsers refuse it as a method of anything else.
  fetch = (...request) => globalThis.fetch(...request),
  wait = waitFor,
}: BlogClientOptions): BlogClientSettings {
  // What fetch says of such a header shows the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be visible ASCII characters, without spaces or line breaks');
  }
  return {
    url: addressOf(url),
    apiKey,
    timeLimitMs,
    retries,
    longestWaitMs,
    freshForMs,
    onStale,
    rememberedCharacters,
    fetch,
    wait,
  };
}

/** Without the slash at its end. */
function addressOf(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new TypeError(`url must be an address such as https://content.example.com, not "${url}"`);
  }
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
