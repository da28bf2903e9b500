import type { ApiContext } from './api-state.js';

/** Names of hosts end at 253 characters; to look into a longer one costs, and this comes before the key is asked for. */
const LONGEST_HOST = 512;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Node passes on whatever a client writes behind the method: a path, a whole URL, or nothing that is either. From here on it is a
 * path with a query string, which everything behind can read.
 */
export function readTarget(context: ApiContext): void {
  if (!context.url.startsWith('/') || context.url.includes('#')) context.url = pathOf(context.url);
}

function pathOf(target: string): string {
  const path = target
    .replace(SCHEME_AND_HOST, (host) => (host.length <= LONGEST_HOST && URL.canParse(host) ? '' : host))
    .replaceAll('#', '%23');
  return path.startsWith('/') ? path : `/${path}`;
}
