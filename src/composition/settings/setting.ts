import { isIPv6 } from 'node:net';

/** One environment variable: its name, its meaning and default for the documentation, and how its text is parsed. */
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

export function wholeNumber(
  variable: string,
  meaning: string,
  { from, to, defaultValue }: { from: number; to: number; defaultValue: number },
): Setting<number> {
  return {
    variable,
    meaning: `${meaning}; ${from} to ${to}`,
    shownDefault: String(defaultValue),
    ifMissing: { value: defaultValue },
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

/** A number of seconds, as milliseconds. */
export function seconds(
  variable: string,
  meaning: string,
  bounds: { from: number; to: number; defaultValue: number },
): Setting<number> {
  const setting = wholeNumber(variable, meaning, bounds);
  return {
    ...setting,
    ifMissing: { value: bounds.defaultValue * 1000 },
    read: (text) => setting.read(text) * 1000,
  };
}

export function oneOf<Choice extends string>(
  variable: string,
  meaning: string,
  choices: readonly Choice[],
  defaultValue: Choice,
): Setting<Choice> {
  return {
    variable,
    meaning: `${meaning}; ${choices.join(', ')}`,
    shownDefault: defaultValue,
    ifMissing: { value: defaultValue },
    secret: false,
    read: (text) => {
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined)
        throw new Error(`must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
      return choice;
    },
  };
}

export function hostName(variable: string, meaning: string, defaultValue: string): Setting<string> {
  return {
    variable,
    meaning,
    shownDefault: defaultValue,
    ifMissing: { value: defaultValue },
    secret: false,
    read: (text) => {
      if (/[\s/]/.test(text) || isImpossibleAddress(text))
        throw new Error(`must be a host name or an address, not ${JSON.stringify(text)}`);
      return text;
    },
  };
}

export function filePath(variable: string, meaning: string): Setting<string> {
  return {
    variable,
    meaning,
    shownDefault: '–',
    ifMissing: { required: 'the path of a file' },
    secret: false,
    read: (text) => {
      if (text.includes('://')) throw new Error(`must be the path of a file, not ${JSON.stringify(text)}`);
      return text;
    },
  };
}

export function moduleList(variable: string, meaning: string): Setting<readonly string[]> {
  return {
    variable,
    meaning,
    shownDefault: '–',
    ifMissing: { value: [] },
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

export function optional<Value>(setting: Setting<Value>): Setting<Value | null> {
  return { ...setting, ifMissing: { value: null } };
}

/**
 * Whether a text can be neither a host name nor an address: an IPv4 part above 255, or a colon but no IPv6 address. The system resolves
 * everything else.
 */
function isImpossibleAddress(text: string): boolean {
  if (text.includes(':')) return !isIPv6(text);
  return /^\d+(\.\d+){3}$/.test(text) && text.split('.').some((part) => Number(part) > 255);
}
