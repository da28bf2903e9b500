import { isSentinelUrl, sentinelAddress } from './sentinel-address.js';

/** ioredis reads any of its options from a URL, and prefers them to our own. */
const PARAMETERS = ['family'];

/** Throws an error whose message completes the sentence "<variable> …" and contains nothing of the URLs. */
export function redisUrls(text: string): readonly string[] {
  if (isSentinelUrl(text)) {
    sentinelAddress(text);
    return [text];
  }
  const urls = text.split(',').map((url) => url.trim());
  if (!urls.every(isRedisUrl)) {
    throw new Error(
      'must be a URL such as redis://user:password@host:6379/0 or rediss://…, several with commas, or ' +
        'sentinel://host:26379,host:26379/master-name',
    );
  }
  const parsed = urls.map((url) => new URL(url));
  for (const url of parsed) requireUsable(url);
  if (parsed.length > 1) requireOneCluster(parsed);
  return urls;
}

function isRedisUrl(text: string): boolean {
  return /^rediss?:\/\//i.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}

function requireUsable({ username, password, pathname, searchParams }: URL): void {
  try {
    decodeURIComponent(username + password);
  } catch {
    throw new Error('must write a % in a name or password as %25');
  }
  if (!/^\/?$|^\/\d{1,5}$/.test(pathname)) {
    throw new Error('must name the database by its number, such as redis://host:6379/2, or not at all');
  }
  if (![...searchParams.keys()].every((name) => PARAMETERS.includes(name))) {
    throw new Error(`must have no parameters but ${PARAMETERS.join(', ')}`);
  }
}

function requireOneCluster(urls: readonly URL[]): void {
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) {
    throw new Error('must have redis:// for all nodes of a cluster, or rediss:// for all');
  }
  if (urls.some(({ pathname }) => !['', '/', '/0'].includes(pathname))) {
    throw new Error('must not have a database number: a cluster has only one database');
  }
}
