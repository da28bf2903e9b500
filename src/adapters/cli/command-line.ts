import { parseArgs } from 'node:util';

export type Command =
  | { readonly name: 'embedded' | 'dashboard:migrate' | 'demo:load' | 'webhooks' | 'help' }
  /** `processes`: null if the option is not given. */
  | { readonly name: 'api'; readonly processes: number | 'auto' | null }
  | { readonly name: 'migrate'; readonly mode: 'install' | MigrateMode; readonly roles: Roles }
  | { readonly name: 'sync'; readonly mode: 'continuous' | 'once' | 'rebuild' | 'accept-dashboard' }
  | { readonly name: 'sync'; readonly mode: 'status'; readonly json: boolean }
  | { readonly name: 'doctor'; readonly json: boolean }
  | { readonly name: 'demo:edit'; readonly title: string | null }
  | KeysCommand;

type MigrateMode = 'with-grants' | 'grants' | 'explain' | 'remove-capture';
/** The role in PostgreSQL of the API, and that of the sync worker. */
export type Roles = Readonly<Record<'api' | 'sync', string>>;

export type KeysCommand =
  | {
      readonly name: 'keys create';
      readonly organizationId: string;
      readonly keyName: string;
      readonly expiresAt: Date | null;
      readonly json: boolean;
    }
  | { readonly name: 'keys list'; readonly organizationId: string; readonly json: boolean }
  | { readonly name: 'keys revoke'; readonly id: string };

export const USAGE = `Usage: blog-read-api <command>

  embedded                  runs everything in one process, with an embedded PostgreSQL and demo content
  api                       runs the API
  api --processes N|auto    runs N processes with one port, or one for each processor; SIGHUP replaces them one by one
  sync                      runs the sync worker, which copies the dashboard's changes into the read tables, until it is stopped
  sync --once               applies all changes committed until now, then ends
  sync --rebuild            reads everything again, then ends
  sync --accept-dashboard   confirms that the dashboard's database was moved, restored or upgraded on purpose
  sync --status [--json]    shows the leader, waiting changes, jobs and rows that cannot be shown
  webhooks --test           sends one test message to each endpoint of WEBHOOKS, and prints what it answered
  doctor [--json]           checks everything that the API or the sync worker depends on, and suggests fixes
  migrate                   creates or upgrades the read tables and the change capture in the dashboard's database
  migrate --with-grants     the same, and gives --api-role (content_api) and --sync-role (content_sync_worker) their rights
  migrate --grants          prints the rights of --sync-role in the dashboard's database, as SQL
  migrate --explain         prints what migrate would create in the dashboard's database, and creates nothing
  migrate --remove-capture  removes the change capture from the dashboard's database
  dashboard:migrate         creates the reference dashboard schema: for demos and tests
  demo:load                 loads demo content into an empty dashboard, and creates API keys
  keys create --organization ID [--name NAME] [--expires ISO-TIME] [--json]
  keys list --organization ID [--json]
  keys revoke --id ID
  demo:edit [--title TITLE] edits a blog in the dashboard of the "embedded" that runs in this folder

Settings are environment variables: see docs/configuration.md.`;

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The usage of that command only, and the mistake last, where a terminal shows it. */
export function explainMisuse({ message }: UsageError, [command]: readonly string[]): string {
  const lines = USAGE.split('\n').filter((line) => line.startsWith(`  ${command} `));
  const usage = lines.length === 0 ? '' : `Usage: blog-read-api <command>\n\n${lines.join('\n')}\n\n`;
  return `${usage}${message} --help shows all commands.`;
}

/** Throws a UsageError for words that it does not know. */
export function parseCommandLine(words: readonly string[]): Command {
  const [name, ...rest] = words;
  if (rest.some((word) => word === '--help' || word === '-h')) return { name: 'help' };
  switch (name) {
    case 'embedded':
    case 'dashboard:migrate':
    case 'demo:load':
      flags(rest, {});
      return { name };
    case 'help':
    case '--help':
    case '-h':
      return { name: 'help' };
    case 'api': {
      const { processes } = flags(rest, { processes: TEXT });
      return { name, processes: processes === undefined ? null : countOf(processes) };
    }
    case 'sync':
      return parseSync(rest);
    case 'webhooks':
      if (flags(rest, { test: FLAG }).test !== true) throw new UsageError('webhooks takes --test.');
      return { name };
    case 'migrate':
      return parseMigrate(rest);
    case 'doctor':
      return { name, json: flags(rest, { json: FLAG }).json === true };
    case 'demo:edit':
      return { name, title: flags(rest, { title: TEXT }).title ?? null };
    case 'keys':
      return parseKeysCommand(rest);
    default:
      throw new UsageError(name === undefined ? 'A command is missing.' : `There is no command "${name}".`);
  }
}

const MAX_PROCESSES = 256;

function countOf(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_PROCESSES) {
    throw new UsageError(
      `--processes takes auto, or a whole number from 1 to ${MAX_PROCESSES}, not "${text}".`,
    );
  }
  return count;
}

function parseMigrate(words: readonly string[]): Command {
  const options = { 'with-grants': FLAG, grants: FLAG, explain: FLAG, 'remove-capture': FLAG };
  const given = flags(words, { ...options, 'api-role': TEXT, 'sync-role': TEXT });
  const { 'api-role': api, 'sync-role': sync, ...modes } = given;
  const mode = modeOf('migrate', Object.keys(options) as MigrateMode[], modes) ?? 'install';
  if (!mode.endsWith('grants') && (api ?? sync) !== undefined)
    throw new UsageError('--api-role and --sync-role require --with-grants or --grants.');
  return { name: 'migrate', mode, roles: { api: api ?? 'content_api', sync: sync ?? 'content_sync_worker' } };
}

function parseSync(words: readonly string[]): Command {
  const { json, ...modes } = flags(words, {
    once: FLAG,
    rebuild: FLAG,
    status: FLAG,
    'accept-dashboard': FLAG,
    json: FLAG,
  });
  const mode = modeOf('sync', ['once', 'rebuild', 'status', 'accept-dashboard'], modes) ?? 'continuous';
  if (mode === 'status') return { name: 'sync', mode, json: json === true };
  if (json) throw new UsageError('--json requires sync --status.');
  return { name: 'sync', mode };
}

function modeOf<Mode extends string>(
  command: string,
  modes: readonly Mode[],
  given: Readonly<Record<string, unknown>>,
): Mode | null {
  const [mode = null, ...otherModes] = modes.filter((name) => given[name] === true);
  if (otherModes.length === 0) return mode;
  throw new UsageError(`${command} takes at most one of ${modes.map((name) => `--${name}`).join(', ')}.`);
}

function parseKeysCommand([action, ...rest]: readonly string[]): KeysCommand {
  switch (action) {
    case 'create': {
      const options = { organization: TEXT, name: TEXT, expires: TEXT, json: FLAG };
      const { organization, name, expires, json } = flags(rest, options);
      return {
        name: 'keys create',
        organizationId: required(organization, '--organization'),
        keyName: name ?? '',
        expiresAt: expires === undefined ? null : timeOf(expires),
        json: json === true,
      };
    }
    case 'list': {
      const { organization, json } = flags(rest, { organization: TEXT, json: FLAG });
      const organizationId = required(organization, '--organization');
      return { name: 'keys list', organizationId, json: json === true };
    }
    case 'revoke':
      return { name: 'keys revoke', id: required(flags(rest, { id: TEXT }).id, '--id') };
    default:
      throw new UsageError('keys takes create, list or revoke.');
  }
}

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

function flags<Known extends Options>(words: readonly string[], options: Known) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === '') throw new UsageError(`${flag} is missing.`);
  return value;
}

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function timeOf(text: string): Date {
  const [, day = ''] = ISO_TIME.exec(text) ?? [];
  // JavaScript takes the 30th of February for the 1st or 2nd of March.
  const midnight = new Date(`${day}T00:00:00Z`);
  const time = new Date(text);
  const exists =
    [midnight, time].every((date) => !Number.isNaN(date.getTime())) && midnight.toISOString().startsWith(day);
  if (!exists) {
    throw new UsageError(`--expires takes an ISO 8601 time such as 2027-01-31T00:00:00Z, not "${text}".`);
  }
  return time;
}
