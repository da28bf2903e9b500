const SENTINEL_SYNTAX = /^(sentinels?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;
const SENTINEL_PARAMETERS = ['db', 'sentinel_user', 'sentinel_password'];
const DEFAULT_PORT = 26_379;
/** ioredis reads any of its options from a URL, and prefers them to our own. */
const URL_PARAMETERS = ['family'];

/** Errors complete the sentence "<variable> …" and contain nothing of the URLs. */
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
  decoded(username + password);
  if (!/^\/?$|^\/\d{1,5}$/.test(pathname)) {
    throw new Error('must name the database by its number, such as redis://host:6379/2, or not at all');
  }
  if (![...searchParams.keys()].every((name) => URL_PARAMETERS.includes(name))) {
    throw new Error(`must have no parameters but ${URL_PARAMETERS.join(', ')}`);
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

/** Sentinels, and the name of the master that they monitor. */
export interface SentinelAddress {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  readonly master: string;
  /** Of the master and its replicas. Empty: the default user. */
  readonly username: string;
  readonly password: string;
  readonly database: number;
  /** Of the sentinels. */
  readonly sentinelUsername: string;
  readonly sentinelPassword: string;
  /** For sentinels and servers. */
  readonly hasTls: boolean;
}

export function isSentinelUrl(text: string): boolean {
  return /^sentinels?:/.test(text);
}

/** Errors complete the sentence "<variable> …" and contain nothing of the URL. */
export function sentinelAddress(text: string): SentinelAddress {
  const [, protocol, account = '', hosts = '', master = '', query = ''] = SENTINEL_SYNTAX.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => `redis://${host.trim()}`);
  if (protocol === undefined || !urls.every((url) => URL.canParse(url) && new URL(url).hostname !== '')) {
    throw new Error(
      'must be a URL such as sentinel://user:password@host:26379,host:26379/master-name or sentinels://… for TLS, ' +
        'with @ / ? # in a password written as %40 %2F %3F %23',
    );
  }
  const [username = '', password = ''] = account.split(/:(.*)/s).map(decoded);
  // A plus stays a plus, as in the user and the password.
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  if (![...parameters.keys()].every((name) => SENTINEL_PARAMETERS.includes(name))) {
    throw new Error(`must have no parameters but ${SENTINEL_PARAMETERS.join(', ')}`);
  }
  const database = parameters.get('db') ?? '0';
  if (!/^\d{1,5}$/.test(database)) throw new Error('must have a whole number for db, such as ?db=2');
  return {
    sentinels: urls.map((url) => {
      const { hostname, port } = new URL(url);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
    }),
    master: decoded(master),
    username,
    password,
    database: Number(database),
    sentinelUsername: parameters.get('sentinel_user') ?? '',
    sentinelPassword: parameters.get('sentinel_password') ?? '',
    hasTls: protocol === 'sentinels',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must write a % in a name or password as %25');
  }
}
