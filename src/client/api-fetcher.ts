import { BlogApiError } from './blog-api-error.js';
import type { BlogClientSettings } from './blog-client-options.js';
import { type CachedAnswer, CachedAnswers } from './cached-answers.js';
import { responseError } from './response-error.js';
import { withRetries } from './with-retries.js';
import { withTimeLimit } from './with-time-limit.js';

interface Answer {
  /** Null if an intermediary removed it. */
  readonly etag: string | null;
  /** 0 if an intermediary removed it. */
  readonly generation: number;
  /** The age of an answer that may be outdated; otherwise null. */
  readonly staleSeconds: number | null;
  readonly text: string;
}

export interface Asking {
  readonly signal: AbortSignal | null;
  readonly minGeneration: number;
}

type Limited = Asking & { readonly signal: AbortSignal };

/** Retries, revalidates what it remembers, and turns all other results into errors. */
export class ApiFetcher {
  readonly #cache: CachedAnswers;
  #generation = 0;

  constructor(private readonly settings: BlogClientSettings) {
    this.#cache = new CachedAnswers(settings.rememberedCharacters);
  }

  /** The highest generation that any answer has shown. */
  get generation(): number {
    return this.#generation;
  }

  async get<Body>(path: string, { signal, minGeneration }: Asking): Promise<Body> {
    const known = this.#cache.get(path);
    const isFresh =
      known !== null &&
      known.generation >= minGeneration &&
      performance.now() - known.at < this.settings.freshForMs;
    if (isFresh) return this.#parse(known.text);
    const answer = await this.#revalidate(path, known, { signal, minGeneration });
    const { etag, generation, staleSeconds, text } = answer;
    // Parsed each time, because a caller may modify the result.
    const body = this.#parse<Body>(text);
    // An answer that may be outdated is always revalidated, whatever `freshForMs` is.
    const at = staleSeconds === null ? performance.now() : Number.NEGATIVE_INFINITY;
    if (etag !== null) this.#cache.set(path, { etag, generation, text, at });
    this.#generation = Math.max(this.#generation, generation);
    if (staleSeconds !== null) this.settings.onStale({ path, generation, ageSeconds: staleSeconds });
    return body;
  }

  #revalidate(path: string, known: CachedAnswer | null, { signal, minGeneration }: Asking): Promise<Answer> {
    return withRetries(this.settings, signal, () =>
      withTimeLimit(this.settings.timeLimitMs, signal, (limited) =>
        this.#ask(path, known, { signal: limited, minGeneration }),
      ),
    );
  }

  async #ask(path: string, known: CachedAnswer | null, asking: Limited): Promise<Answer> {
    const { response, text } = await this.#exchange(path, known, asking);
    const generation = Number(response.headers.get('X-Content-Generation'));
    const staleSeconds = staleSecondsOf(response);
    if (response.status === 304 && known !== null) return { ...known, generation, staleSeconds };
    if (response.status !== 200) throw responseError(response, text);
    return { etag: response.headers.get('ETag'), generation, staleSeconds, text };
  }

  async #exchange(path: string, known: CachedAnswer | null, { signal, minGeneration }: Limited) {
    const { url, apiKey, fetch } = this.settings;
    const headers = {
      'X-API-Key': apiKey,
      ...(known === null ? {} : { 'If-None-Match': known.etag }),
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

function staleSecondsOf({ headers }: Response): number | null {
  const isStale = /;\s*detail=stale\b/.test(headers.get('Cache-Status') ?? '');
  return isStale ? Number(headers.get('Age')) : null;
}
