import { isIP } from 'node:net';
import {
  isPostgresUrl,
  POSTGRES_EXAMPLE,
  postgresUrl,
} from '../../adapters/postgres/connection/postgres-urls.js';

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
  read: Setting<Value>['read'],
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

export function hostName(text: string): string {
  if (isIP(text) > 0 || (/^[\w.-]+$/.test(text) && !/^[\d.]+$/.test(text))) return text;
  throw new Error(`must be a host name or an address, not ${JSON.stringify(text)}`);
}

export function wholeNumber(
  variable: string,
  meaning: string,
  defaultValue: number,
  [from, to]: readonly [number, number],
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
export function seconds(...parameters: Parameters<typeof wholeNumber>): Setting<number> {
  const setting = wholeNumber(...parameters);
  const ifMissing = { value: parameters[2] * 1000 };
  return { ...setting, ifMissing, read: (text) => setting.read(text) * 1000 };
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
  };
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
