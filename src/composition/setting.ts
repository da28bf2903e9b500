import { isSentinelUrl, sentinelAddress } from '../adapters/redis/sentinel-address.js';

/** One environment variable: its name, its meaning and its default for the documentation, and how its text is read. */
export interface Setting<Value> {
  readonly variable: string;
  readonly meaning: string;
  /** As the documentation shows it. */
  readonly fallbackShown: string;
  /** What a missing variable means; for one that is required, a reason why it is. */
  readonly whenMissing: { readonly value: Value } | { readonly required: string };
  /** A secret may also come from the file that `<variable>_FILE` names, and is never shown. */
  readonly secret: boolean;
  /** Throws an error whose message completes the sentence "<variable> …". */
  readonly read: (text: string) => Value;
}

export function wholeNumber(
  variable: string,
  meaning: string,
  { from, to, fallback }: { from: number; to: number; fallback: number },
): Setting<number> {
  return {
    variable,
    meaning: `${meaning}; ${from} to ${to}`,
    fallbackShown: String(fallback),
    whenMissing: { value: fallback },
    secret: false,
    read: (text) => {
      const number = Number(text);
      if (!/^\d+$/.test(text) || number < from || number > to) {
        throw new Error(`must be a whole number from ${from} to ${to}, not ${JSON.stringify(text)}`);
      }
      return number;
    },
  };
}

export function oneOf<Choice extends string>(
  variable: string,
  meaning: string,
  choices: readonly Choice[],
  fallback: Choice,
): Setting<Choice> {
  return {
    variable,
    meaning: `${meaning}; ${choices.join(', ')}`,
    fallbackShown: fallback,
    whenMissing: { value: fallback },
    secret: false,
    read: (text) => {
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined)
        throw new Error(`must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
      return choice;
    },
  };
}

export function hostName(variable: string, meaning: string, fallback: string): Setting<string> {
  return {
    variable,
    meaning,
    fallbackShown: fallback,
    whenMissing: { value: fallback },
    secret: false,
    read: (text) => {
      if (/[\s/]/.test(text))
        throw new Error(`must be a host name or an address, not ${JSON.stringify(text)}`);
      return text;
    },
  };
}

export function filePath(variable: string, meaning: string): Setting<string> {
  return {
    variable,
    meaning,
    fallbackShown: '–',
    whenMissing: { required: 'the path of a file' },
    secret: false,
    read: (text) => {
      if (text.includes('://')) throw new Error(`must be the path of a file, not ${JSON.stringify(text)}`);
      return text;
    },
  };
}

export function postgresUrl(variable: string, meaning: string): Setting<string> {
  return {
    variable,
    meaning,
    fallbackShown: '–',
    whenMissing: { required: 'a PostgreSQL database, such as postgres://user:password@host:5432/name' },
    secret: true,
    read: (text) => {
      const protocol = URL.canParse(text) ? new URL(text).protocol : '';
      if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
        throw new Error('must be a URL such as postgres://user:password@host:5432/name');
      }
      return text;
    },
  };
}

/** The address tells which kind of database it is. */
export function dashboardUrl(variable: string, meaning: string): Setting<string> {
  const examples = 'postgres://user:password@host:5432/name or mysql://user:password@host:3306/name';
  return {
    variable,
    meaning,
    fallbackShown: '–',
    whenMissing: { required: `the dashboard's database, such as ${examples}` },
    secret: true,
    read: (text) => {
      const { protocol, pathname } = URL.canParse(text) ? new URL(text) : { protocol: '', pathname: '' };
      if (protocol === 'postgres:' || protocol === 'postgresql:') return text;
      // MySQL has no database that is meant where none is named.
      if (protocol === 'mysql:' && pathname.length > 1) return text;
      throw new Error(`must be a URL such as ${examples}`);
    },
  };
}

/** One server, several nodes of one cluster, or the sentinels of one master in a single URL. */
export function redisUrlList(variable: string, meaning: string): Setting<readonly string[]> {
  return {
    variable,
    meaning,
    fallbackShown: '–',
    whenMissing: { required: 'a Redis server, such as redis://host:6379' },
    secret: true,
    read: (text) => {
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
      if (urls.length > 1 && urls.some((url) => !['', '/', '/0'].includes(new URL(url).pathname))) {
        throw new Error('must not name a database number for a cluster: clusters have none');
      }
      return urls;
    },
  };
}

export function moduleList(variable: string, meaning: string): Setting<readonly string[]> {
  return {
    variable,
    meaning,
    fallbackShown: '–',
    whenMissing: { value: [] },
    secret: false,
    read: (text) => {
      const modules = text.split(',').map((module) => module.trim());
      if (modules.includes(''))
        throw new Error(`must name a module between all commas, not ${JSON.stringify(text)}`);
      const twice = modules.find((module, at) => modules.indexOf(module) < at);
      if (twice !== undefined) throw new Error(`must name each module once, not ${twice} twice`);
      return modules;
    },
  };
}

function isRedisUrl(text: string): boolean {
  return URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol);
}

/** Says of a required one what it is required for. */
export function neededFor<Value>(setting: Setting<Value>, purposes: readonly string[]): Setting<Value> {
  if (!('required' in setting.whenMissing)) return setting;
  const required = `${setting.whenMissing.required}, for ${purposes.join(', ')}`;
  return { ...setting, whenMissing: { required } };
}

export function optional<Value>(setting: Setting<Value>): Setting<Value | null> {
  return { ...setting, whenMissing: { value: null } };
}
