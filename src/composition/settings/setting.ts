import { isIP } from 'node:net';

/** One environment variable, with its meaning and default for the documentation. */
export interface Setting<Value> {
  readonly variable: string;
  readonly meaning: string;
  /** If the variable is missing. Null or an empty list: whoever needs the value reports it. */
  readonly defaultValue: Value;
  readonly shownDefault: string;
  /** A secret may also come from the file that `<variable>_FILE` names, and is never shown. */
  readonly secret: boolean;
  /** Throws an error whose message completes the sentence "<variable> …". */
  readonly read: (text: string) => Value;
}

export function setting<Value>(
  variable: string,
  defaultValue: Value,
  read: (text: string) => Value,
  meaning: string,
): Setting<Value> {
  const shownDefault = String(defaultValue ?? '') || '–';
  return { variable, meaning, defaultValue, shownDefault, secret: false, read };
}

/** The address of a server, which may contain a password. */
export function address<Value>(...parameters: Parameters<typeof setting<Value>>): Setting<Value> {
  return { ...setting(...parameters), secret: true };
}

export function wholeNumber(
  variable: string,
  defaultValue: number,
  [from, to]: readonly [number, number],
  meaning: string,
): Setting<number> {
  const read = (text: string) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= from && number <= to) return number;
    throw new Error(`must be a whole number from ${from} to ${to}, not ${JSON.stringify(text)}`);
  };
  return setting(variable, defaultValue, read, `${meaning}; ${from} to ${to}`);
}

/** A number of seconds, as milliseconds. */
export function seconds(...parameters: Parameters<typeof wholeNumber>): Setting<number> {
  const { read, defaultValue, ...labels } = wholeNumber(...parameters);
  return { ...labels, defaultValue: defaultValue * 1000, read: (text) => read(text) * 1000 };
}

/** The same, without a default: what it limits has its own. */
export function secondsIfSet(
  variable: string,
  range: readonly [number, number],
  meaning: string,
): Setting<number | null> {
  return { ...seconds(variable, 0, range, meaning), defaultValue: null, shownDefault: '–' };
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
  };
}

export function hostName(text: string): string {
  if (isIP(text) > 0 || (/^[\w.-]+$/.test(text) && !/^[\d.]+$/.test(text))) return text;
  throw new Error(`must be a host name or an address, not ${JSON.stringify(text)}`);
}
