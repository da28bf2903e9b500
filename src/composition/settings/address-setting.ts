import { readFileSync } from 'node:fs';
import { databaseName } from '../../adapters/postgres/connection/database-name.js';
import { redisUrls } from '../../adapters/redis/connection/redis-urls.js';
import type { Setting } from './setting.js';

const POSTGRES_EXAMPLE = 'postgres://user:password@host:5432/name';
const MYSQL_EXAMPLE = 'mysql://user:password@host:3306/name';
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

export function postgresUrl(variable: string, meaning: string): Setting<string> {
  return {
    variable,
    meaning,
    shownDefault: '–',
    ifMissing: { required: `a PostgreSQL database, such as ${POSTGRES_EXAMPLE}` },
    secret: true,
    read: (text) => {
      if (!isPostgresUrl(text)) throw new Error(`must be a URL such as ${POSTGRES_EXAMPLE}`);
      requireSslThatWorks(new URL(text));
      return text;
    },
  };
}

/** Default: none. */
export function postgresUrlList(variable: string, meaning: string): Setting<readonly string[]> {
  const { read } = postgresUrl(variable, meaning);
  return {
    variable,
    meaning,
    shownDefault: '–',
    ifMissing: { value: [] },
    secret: true,
    read: (text) => {
      const urls = text.split(',').map((url) => read(url.trim()));
      const names = urls.map(databaseName);
      const twice = names.find((name, at) => names.indexOf(name) < at);
      if (twice !== undefined) throw new Error(`must name each database once, not ${twice} twice`);
      return urls;
    },
  };
}

/** The protocol of the address selects the kind of database. */
export function dashboardUrl(variable: string, meaning: string): Setting<string> {
  const examples = `${POSTGRES_EXAMPLE} or ${MYSQL_EXAMPLE}`;
  return {
    variable,
    meaning,
    shownDefault: '–',
    ifMissing: { required: `the dashboard's database, such as ${examples}` },
    secret: true,
    read: (text) => {
      if (isPostgresUrl(text)) {
        requireSslThatWorks(new URL(text));
        return text;
      }
      const { protocol, pathname } = URL.canParse(text) ? new URL(text) : { protocol: '', pathname: '' };
      // MySQL has no default database.
      if (protocol !== 'mysql:' || pathname.length < 2) throw new Error(`must be a URL such as ${examples}`);
      requireDecodable(new URL(text));
      return text;
    },
  };
}

/** One server, several nodes of one cluster, or the sentinels of one master in a single URL. */
export function redisUrlList(variable: string, meaning: string): Setting<readonly string[]> {
  return {
    variable,
    meaning,
    shownDefault: '–',
    ifMissing: { required: 'a Redis server, such as redis://host:6379' },
    secret: true,
    read: redisUrls,
  };
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol);
}

/** The driver ignores an unknown mode, and fails at each connection if a file is missing. */
function requireSslThatWorks({ searchParams }: URL): void {
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new Error(`must have one of ${SSL_MODES.join(', ')} for sslmode`);
  }
  for (const name of SSL_FILES) {
    const file = searchParams.get(name);
    if (file !== null) requireReadable(file, name);
  }
}

function requireReadable(file: string, parameter: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unreadable';
    throw new Error(
      `must have the path of a readable file for ${parameter}, not ${JSON.stringify(file)} (${reason})`,
    );
  }
}

function requireDecodable({ username, password, pathname }: URL): void {
  try {
    decodeURIComponent(username + password + pathname);
  } catch {
    throw new Error('must write a % in a name or password as %25');
  }
}
