export interface BlogClientOptions {
  /** The address of the API's public port, such as `https://content.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  /** The time limit of one attempt, from the request to the end of its answer. Default: 10,000. */
  readonly timeLimitMs?: number;
  /** How often a failed request is retried. Default: 3. */
  readonly retries?: number;
  /**
   * The longest wait that the client accepts; if the API asks for more, the request fails. Default:
   * 60,000, the window of the limit.
   */
  readonly longestWaitMs?: number;
  /** How long an answer is used without asking whether it has changed. Default: 0. */
  readonly freshForMs?: number;
}

export type BlogClientSettings = Required<BlogClientOptions>;

/** Adds the defaults and rejects values that can never work. */
export function settingsOf({ url, apiKey, ...options }: BlogClientOptions): BlogClientSettings {
  // The error of fetch for such a header would contain the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be visible ASCII characters, without spaces or line breaks');
  }
  const { timeLimitMs = 10_000, retries = 3, longestWaitMs = 60_000, freshForMs = 0 } = options;
  return { url: addressOf(url), apiKey, timeLimitMs, retries, longestWaitMs, freshForMs };
}

/** Without a trailing slash. */
function addressOf(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new TypeError(`url must be an address such as https://content.example.com, not "${url}"`);
  }
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
