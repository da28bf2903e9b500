import { readFileSync } from 'node:fs';
import type { Setting } from './setting.js';

export type Environment = Readonly<Record<string, string | undefined>>;

type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<Known extends Settings> = {
  readonly [Name in keyof Known]: Known[Name] extends Setting<infer Value> ? Value : never;
};

/** All errors of the environment, one per line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Something that needs a setting was created without it. */
export class MissingSetting extends Error {
  constructor(readonly variable: string) {
    super(`${variable} is missing`);
  }
}

/** The value of a setting that is only required where something needs it. */
export function needed<Value>(variable: string, value: Value | null): Value {
  if (value === null) throw new MissingSetting(variable);
  return value;
}

/**
 * Throws a ConfigurationError that names every invalid setting. An empty variable is missing. The
 * rule returns an error about several values, or null.
 */
export function readSettings<Known extends Settings>(
  settings: Known,
  environment: Environment,
  rule: (values: Partial<Values<Known>>) => string | null = () => null,
): Values<Known> {
  const problems: string[] = [];
  const values = Object.entries(settings).map(([name, setting]) => {
    try {
      return [name, readSetting(setting, environment)];
    } catch (error) {
      const errors = error instanceof AggregateError ? error.errors : [error];
      problems.push(
        ...errors.map((one) => `${setting.variable} ${one instanceof Error ? one.message : one}`),
      );
      return [name, undefined];
    }
  });
  const problem = rule(Object.fromEntries(values));
  if (problem !== null) problems.push(problem);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Object.fromEntries(values) as Values<Known>;
}

function readSetting(setting: Setting<unknown>, environment: Environment): unknown {
  const text = textOf(setting, environment);
  // The URL parser removes line breaks: a password would become part of a shown name.
  if (setting.secret && /[\t\r\n]/.test(text))
    throw new Error('must be a single line, without tabs: where it takes several URLs, commas separate them');
  if (text !== '') return setting.read(text);
  if ('required' in setting.ifMissing) throw new Error(`is missing: ${setting.ifMissing.required}`);
  return setting.ifMissing.value;
}

function textOf({ variable, secret }: Setting<unknown>, environment: Environment): string {
  const text = environment[variable] ?? '';
  const file = secret ? (environment[`${variable}_FILE`] ?? '') : '';
  if (file === '') return text;
  if (text !== '') throw new Error(`and ${variable}_FILE are both set: set one of them`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unreadable';
    // The error does not show the value, which may be the secret itself.
    throw new Error(
      `cannot be read (${reason}): ${variable}_FILE takes the path of a file that holds the value`,
    );
  }
}
