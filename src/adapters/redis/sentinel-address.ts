const SYNTAX = /^(sentinels?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;
const PARAMETERS = ['db', 'sentinel_user', 'sentinel_password'];
const DEFAULT_PORT = 26_379;

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

/** Throws an error whose message completes the sentence "<variable> …" and contains nothing of the URL. */
export function sentinelAddress(text: string): SentinelAddress {
  const [, protocol, account = '', hosts = '', master = '', query = ''] = SYNTAX.exec(text) ?? [];
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
  if (![...parameters.keys()].every((name) => PARAMETERS.includes(name))) {
    throw new Error(`must have no parameters but ${PARAMETERS.join(', ')}`);
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
