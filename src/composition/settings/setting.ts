import { isIPv6 } from 'node:net';
import {
  isPostgresUrl,
  POSTGRES_EXAMPLE,
  postgresUrl,
} from '../../adapters/postgres/connection/postgres-urls.js';

/** The first program on a machine uses it. */
export const DEFAULT_ADMIN_PORT = 3001;

/** One environment variable, with its meaning and default for the documentation. */
export interface Setting<Value> {
  readonly variable: string;
  readonly meaning: string;
  /** As the documentation shows it. */
  readonly shownDefault: string;
  /** The value if the variable is missing, or the reason why it is required. */
  readonly ifMissing: { readonly value: Value } | { readonly required: string };
  /** A secret may also come from the file that `<variable>_FILE` names, and is never shown. */
  readonly secret: boolean;
  /** Throws an error whose message completes the sentence "<variable> …". */
  readonly read: (text: string) => Value;
}

export function plain<Value>(
  variable: string,
  meaning: string,
  value: Value,
  read: (text: string) => Value,
  shownDefault = String(value),
): Setting<Value> {
  return { variable, meaning, shownDefault, ifMissing: { value }, secret: false, read };
}

/** The address of a server, which may contain a password. */
export function address<Value>(
  variable: string,
  meaning: string,
  read: (text: string) => Value,
  ifMissing: Setting<Value>['ifMissing'],
): Setting<Value> {
  return { variable, meaning, shownDefault: '–', ifMissing, secret: true, read };
}

export function optional<Value>(setting: Setting<Value>): Setting<Value | null> {
  return { ...setting, ifMissing: { value: null } };
}

interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly defaultValue: number;
}

export function wholeNumber(
  variable: string,
  meaning: string,
  { from, to, defaultValue }: Bounds,
): Setting<number> {
  return plain(variable, `${meaning}; ${from} to ${to}`, defaultValue, (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < from || number > to) {
      throw new Error(`must be a whole number from ${from} to ${to}, not ${JSON.stringify(text)}`);
    }
    return number;
  });
}

/** A number of seconds, as milliseconds. */
export function seconds(variable: string, meaning: string, bounds: Bounds): Setting<number> {
  const setting = wholeNumber(variable, meaning, bounds);
  const ifMissing = { value: bounds.defaultValue * 1000 };
  return { ...setting, ifMissing, read: (text) => setting.read(text) * 1000 };
}

export function oneOf<Choice extends string>(
  variable: string,
  meaning: string,
  choices: readonly Choice[],
  defaultValue: Choice,
): Setting<Choice> {
  return plain(variable, `${meaning}; ${choices.join(', ')}`, defaultValue, (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined)
      throw new Error(`must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
    return choice;
  });
}

export function hostName(text: string): string {
  if (/[\s/]/.test(text) || isImpossibleAddress(text))
    throw new Error(`must be a host name or an address, not ${JSON.stringify(text)}`);
  return text;
}

export function filePath(text: string): string {
  if (text.includes('://')) throw new Error(`must be the path of a file, not ${JSON.stringify(text)}`);
  return text;
}

export function moduleList(text: string): readonly string[] {
  const modules = text.split(',').map((module) => module.trim());
  if (modules.includes(''))
    throw new Error(`must name a module between all commas, not ${JSON.stringify(text)}`);
  const twice = modules.find((module, index) => modules.indexOf(module) < index);
  if (twice !== undefined) throw new Error(`must name each module once, not ${twice} twice`);
  return modules;
}

export function trueOrFalse(text: string): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new Error(`must be true or false, not ${JSON.stringify(text)}`);
}

export const DASHBOARD_EXAMPLES = `${POSTGRES_EXAMPLE} or mysql://user:password@host:3306/name`;

/** The protocol of the address selects the kind of database. */
export function dashboardUrl(text: string): string {
  if (isPostgresUrl(text)) return postgresUrl(text);
  const url = URL.canParse(text) ? new URL(text) : null;
  // MySQL has no default database.
  if (url?.protocol !== 'mysql:' || url.pathname.length < 2)
    throw new Error(`must be a URL such as ${DASHBOARD_EXAMPLES}`);
  try {
    decodeURIComponent(url.username + url.password + url.pathname);
  } catch {
    throw new Error('must write a % in a name or password as %25');
  }
  return text;
}

/** An IPv4 part above 255, or a colon but no IPv6 address; the system resolves everything else. */
function isImpossibleAddress(text: string): boolean {
  if (text.includes(':')) return !isIPv6(text);
  return /^\d+(\.\d+){3}$/.test(text) && text.split('.').some((part) => Number(part) > 255);
}
