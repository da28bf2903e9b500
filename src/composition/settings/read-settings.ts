import { readFileSync } from 'node:fs';
import { codeOf } from '../../domain/policies/reason-of.js';
import type { Setting } from './setting.js';

export type Environment = Readonly<Record<string, string | undefined>>;

type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<Known extends Settings> = {
  readonly [Name in keyof Known]: Known[Name] extends Setting<infer Value> ? Value : never;
};

/** With defaults for what is wrong. Used after `valid` or `createPorts` has refused problems. */
export interface Read<Values> {
  readonly settings: Values;
  readonly problems: readonly string[];
}

/** All errors of the environment, one per line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** What needs a setting was to be created without it. */
export class MissingSetting extends ConfigurationError {
  constructor(readonly setting: Setting<unknown>) {
    super([missing(setting, ['this command'])]);
  }
}

/** The value of a setting, where something that needs it is created. */
export function needed<Value>(setting: Setting<unknown>, value: Value | null): Value {
  if (value === null) throw new MissingSetting(setting);
  return value;
}

export function missing({ variable, meaning }: Setting<unknown>, users: readonly string[]): string {
  // A, B and C
  const list = new Intl.ListFormat('en-GB').format(users);
  return `${variable} is missing: ${list} ${users.length === 1 ? 'needs' : 'need'} it (${meaning})`;
}

/** Throws a ConfigurationError that names everything that is wrong. */
export function valid<Settings>({ settings, problems }: Read<Settings>): Settings {
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings;
}

/**
 * An empty variable is missing. The rule returns errors about several values; one that is wrong is
 * undefined.
 */
export function readSettings<Known extends Settings>(
  settings: Known,
  environment: Environment,
  rule: (values: Partial<Values<NoInfer<Known>>>) => readonly string[] = () => [],
): Read<Values<Known>> {
  const problems: string[] = [];
  const read = ([name, setting]: [string, Setting<unknown>]) => {
    try {
      return [name, readSetting(setting, environment)];
    } catch (error) {
      const errors = error instanceof AggregateError ? error.errors : [error];
      problems.push(
        ...errors.map((one) => `${setting.variable} ${one instanceof Error ? one.message : one}`),
      );
      return [name, undefined];
    }
  };
  const values = Object.fromEntries(Object.entries(settings).map(read));
  problems.push(...rule(values));
  const defaulted = Object.entries(settings).map(([name, { defaultValue }]) => [
    name,
    values[name] ?? defaultValue,
  ]);
  return { settings: Object.fromEntries(defaulted), problems };
}

function readSetting(setting: Setting<unknown>, environment: Environment): unknown {
  const text = textOf(setting, environment);
  // The URL parser removes line breaks: a password would become part of a shown name.
  if (setting.secret && /[\t\r\n]/.test(text))
    throw new Error('must be a single line, without tabs: where it takes several URLs, commas separate them');
  return text === '' ? setting.defaultValue : setting.read(text);
}

function textOf({ variable, secret }: Setting<unknown>, environment: Environment): string {
  const text = environment[variable] ?? '';
  const file = secret ? (environment[`${variable}_FILE`] ?? '') : '';
  if (file === '') return text;
  if (text !== '') throw new Error(`and ${variable}_FILE are both set: set one of them`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = codeOf(error) || 'unreadable';
    // The error does not show the value, which may be the secret itself.
    throw new Error(
      `cannot be read (${reason}): ${variable}_FILE takes the path of a file that holds the value`,
    );
  }
}
