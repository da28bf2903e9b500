import type { ApiContext } from './api-state.js';

/** Host names have at most 253 characters. Parsing a longer one costs time, and this happens before the key is checked. */
const MAX_HOST_LENGTH = 512;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Node passes on whatever follows the method: a path, a whole URL, or neither. This rewrites it to a path with a query string, which all
 * later code can parse.
 */
export function readTarget(context: ApiContext): void {
  if (!context.url.startsWith('/') || context.url.includes('#')) context.url = pathOf(context.url);
}

function pathOf(target: string): string {
  const path = target
    .replace(SCHEME_AND_HOST, (host) => (host.length <= MAX_HOST_LENGTH && URL.canParse(host) ? '' : host))
    .replaceAll('#', '%23');
  return path.startsWith('/') ? path : `/${path}`;
}
