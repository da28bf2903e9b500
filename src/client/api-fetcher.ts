import { BlogApiError } from './blog-api-error.js';
import type { BlogClientSettings } from './blog-client-options.js';
import { refusalOf } from './refusal-of.js';
import { type RememberedAnswer, RememberedAnswers } from './remembered-answers.js';
import { withRetries } from './with-retries.js';
import { withTimeLimit } from './with-time-limit.js';

interface Answer {
  /** Null where something on the way took it off. */
  readonly etag: string | null;
  /** Likewise 0. */
  readonly generation: number;
  /** How old it is where it may be outdated, since the API cannot read the present content; else null. */
  readonly staleSeconds: number | null;
  readonly text: string;
}

export interface Asking {
  readonly signal: AbortSignal | null;
  readonly minGeneration: number;
}

type Limited = Asking & { readonly signal: AbortSignal };

/** Fetches what is on a path of the API: tries again, asks only for what has changed, and makes errors of all else. */
export class ApiFetcher {
  readonly #remembered: RememberedAnswers;
  #generation = 0;

  constructor(private readonly settings: BlogClientSettings) {
    this.#remembered = new RememberedAnswers(settings.rememberedCharacters);
  }

  /** The greatest that an answer has shown. */
  get generation(): number {
    return this.#generation;
  }

  async get<Body>(path: string, { signal, minGeneration }: Asking): Promise<Body> {
    const known = this.#remembered.get(path);
    const isFresh =
      known !== null &&
      known.generation >= minGeneration &&
      performance.now() - known.at < this.settings.freshForMs;
    if (isFresh) return this.#parse(known.text);
    const answer = await this.#revalidate(path, known, { signal, minGeneration });
    const { etag, generation, staleSeconds, text } = answer;
    // Parsed anew each time: a caller may change what it was given.
    const body = this.#parse<Body>(text);
    // What may be outdated is asked for again next time, however fresh it may be given.
    const at = staleSeconds === null ? performance.now() : Number.NEGATIVE_INFINITY;
    if (etag !== null) this.#remembered.set(path, { etag, generation, text, at });
    this.#generation = Math.max(this.#generation, generation);
    if (staleSeconds !== null) this.settings.onStale({ path, generation, ageSeconds: staleSeconds });
    return body;
  }

  #revalidate(
    path: string,
    known: RememberedAnswer | null,
    { signal, minGeneration }: Asking,
  ): Promise<Answer> {
    return withRetries(this.settings, signal, () =>
      withTimeLimit(this.settings.timeLimitMs, signal, (limited) =>
        this.#ask(path, known, { signal: limited, minGeneration }),
      ),
    );
  }

  async #ask(path: string, known: RememberedAnswer | null, asking: Limited): Promise<Answer> {
    const { response, text } = await this.#exchange(path, known, asking);
    const generation = Number(response.headers.get('X-Content-Generation'));
    const staleSeconds = staleSecondsOf(response);
    if (response.status === 304 && known !== null) return { ...known, generation, staleSeconds };
    if (response.status !== 200) throw refusalOf(response, text);
    return { etag: response.headers.get('ETag'), generation, staleSeconds, text };
  }

  async #exchange(path: string, known: RememberedAnswer | null, { signal, minGeneration }: Limited) {
    const { url, apiKey, fetch } = this.settings;
    const headers = {
      'X-API-Key': apiKey,
      ...(known === null ? {} : { 'If-None-Match': known.etag }),
      ...(minGeneration === 0 ? {} : { 'X-Min-Generation': String(minGeneration) }),
    };
    try {
      // Not followed: the key is for the API, not for wherever something on the way points.
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
      throw new BlogApiError('unexpected-answer', `What answers on ${url} is not this API`, {
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
