import type { ErrorEnvelope } from './api-types.js';
import { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';
import type { BlogClientSettings } from './blog-client-options.js';
import { withRetries } from './with-retries.js';

const REMEMBERED_ANSWERS = 1_000;

interface CachedAnswer {
  readonly etag: string;
  /** The generation with which the API last sent or confirmed it. */
  readonly generation: number;
  /** When the API last sent or confirmed it, by `performance.now()`. */
  readonly storedAt: number;
  readonly text: string;
}

interface Answer {
  /** Null if an intermediary removed it. */
  readonly etag: string | null;
  /** 0 if an intermediary removed it. */
  readonly generation: number;
  readonly text: string;
}

export interface Asking {
  readonly signal: AbortSignal | null;
  readonly minGeneration: number;
}

type Limited = Asking & { readonly signal: AbortSignal };

/** Retries, revalidates what it remembers, and turns all other results into errors. */
export class ApiFetcher {
  /** The last answer of each path, in the order in which they were sent or confirmed. */
  readonly #cache = new Map<string, CachedAnswer>();
  #generation = 0;

  constructor(private readonly settings: BlogClientSettings) {}

  /** The highest generation that any answer has shown. */
  get generation(): number {
    return this.#generation;
  }

  async get<Body>(path: string, { signal, minGeneration }: Asking): Promise<Body> {
    const cachedAnswer = this.#cache.get(path) ?? null;
    const isFresh =
      cachedAnswer !== null &&
      cachedAnswer.generation >= minGeneration &&
      performance.now() - cachedAnswer.storedAt < this.settings.freshForMs;
    if (isFresh) return this.#parse(cachedAnswer.text);
    const { etag, generation, text } = await withRetries(this.settings, signal, () =>
      withTimeLimit(this.settings.timeLimitMs, signal, (limited) =>
        this.#ask(path, cachedAnswer, { signal: limited, minGeneration }),
      ),
    );
    // Parsed each time, because a caller may modify the result.
    const body = this.#parse<Body>(text);
    if (etag !== null) this.#remember(path, { etag, generation, text, storedAt: performance.now() });
    this.#generation = Math.max(this.#generation, generation);
    return body;
  }

  #remember(path: string, answer: CachedAnswer): void {
    // Removed first: a Map keeps the order in which its keys were inserted.
    this.#cache.delete(path);
    this.#cache.set(path, answer);
    const [oldest = path] = this.#cache.keys();
    if (this.#cache.size > REMEMBERED_ANSWERS) this.#cache.delete(oldest);
  }

  async #ask(path: string, cachedAnswer: CachedAnswer | null, asking: Limited): Promise<Answer> {
    const { response, text } = await this.#exchange(path, cachedAnswer, asking);
    const generation = Number(response.headers.get('X-Content-Generation'));
    if (response.status === 304 && cachedAnswer !== null) return { ...cachedAnswer, generation };
    if (response.status !== 200) throw responseError(response, text);
    return { etag: response.headers.get('ETag'), generation, text };
  }

  async #exchange(path: string, cachedAnswer: CachedAnswer | null, { signal, minGeneration }: Limited) {
    const { url, apiKey } = this.settings;
    const headers = {
      'X-API-Key': apiKey,
      ...(cachedAnswer === null ? {} : { 'If-None-Match': cachedAnswer.etag }),
      ...(minGeneration === 0 ? {} : { 'X-Min-Generation': String(minGeneration) }),
    };
    try {
      // Redirects are not followed: the key must not be sent to another server.
      const response = await fetch(`${url}${path}`, { headers, signal, redirect: 'manual' });
      return { response, text: await response.text() };
    } catch (cause) {
      signal.throwIfAborted();
      throw new BlogApiError('network', `No answer from ${url}`, { cause });
    }
  }

  #parse<Body>(text: string): Body {
    try {
      return JSON.parse(text);
    } catch (cause) {
      const { url } = this.settings;
      throw new BlogApiError('unexpected-answer', `The server at ${url} does not answer like this API`, {
        status: 200,
        cause,
      });
    }
  }
}

/** Converts an answer without content into an error. */
function responseError({ status, headers }: Response, text: string): BlogApiError {
  const reset = headers.get('X-RateLimit-Reset');
  return new BlogApiError(kindOf(status), messageIn(text) ?? `The answer has the status ${status}`, {
    status,
    retryAfter: secondsOf(headers.get('Retry-After')),
    resetAt: reset === null ? null : new Date(Number(reset)),
    requestId: headers.get('X-Request-Id'),
  });
}

function kindOf(status: number): BlogApiErrorKind {
  if (status === 400) return 'bad-request';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'server-error' : 'unexpected-answer';
}

/** Null if another server answers, such as a proxy with its own error page. */
function messageIn(text: string): string | null {
  try {
    return (JSON.parse(text) as ErrorEnvelope).error.message;
  } catch {
    return null;
  }
}

/** Null: none, or the date of a proxy, whose clock may be another. */
function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
}

/** The signal is aborted with the caller's, or after the time limit. */
async function withTimeLimit<Result>(
  millis: number,
  caller: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Not AbortSignal.any(), which would stay registered with a signal that lives long.
  const limited = new AbortController();
  const abort = () => limited.abort(caller?.reason);
  const late = () => limited.abort(new BlogApiError('timeout', `No answer within ${millis} ms`));
  const timer = setTimeout(late, millis);
  caller?.addEventListener('abort', abort);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', abort);
  }
}
