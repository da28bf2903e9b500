import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parseDocument } from 'yaml';
import { type DashboardMapping, SOURCES } from './dashboard-mapping.js';
import { describeErrors } from './mapping-problems.js';
import { FORMATS, MANAGED, MAPPING_SCHEMA } from './mapping-schema.js';

/** Everything that is wrong with a mapping, one line each. */
export class MappingError extends Error {
  override readonly name = 'MappingError';

  constructor(
    readonly file: string,
    readonly problems: readonly string[],
  ) {
    super(`The mapping ${file} is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

type Written = Partial<Record<(typeof SOURCES)[number], string>> & {
  readonly time_zone?: string;
  readonly captures: Readonly<Record<string, DashboardMapping['captures'][number]['touches']>>;
};

const isValid = new Ajv({ allErrors: true, allowUnionTypes: true, formats: FORMATS }).compile<Written>(
  MAPPING_SCHEMA,
);

export function readMapping(file: string): DashboardMapping {
  const written = parse(file, textOf(file));
  if (!isValid(written)) throw new MappingError(file, describeErrors(isValid.errors ?? []));
  const hasManagedKeys = written.api_keys === MANAGED;
  const selects = SOURCES.map((name) => {
    const isMade = name === 'api_keys' && hasManagedKeys;
    return [name, isMade ? null : selectOf(written[name])];
  });
  return {
    timeZone: written.time_zone ?? null,
    selects: Object.fromEntries(selects),
    hasManagedKeys,
    captures: Object.entries(written.captures).map(([table, touches]) => ({ table, touches })),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new MappingError(file, [
      `the file cannot be read (${reason}); correct the path in DASHBOARD_MAPPING`,
    ]);
  }
}

function parse(file: string, text: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw notYaml(file, document.errors);
  try {
    return document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that expand to far more than the file contains.
    if (error instanceof ReferenceError) throw notYaml(file, [error]);
    throw error;
  }
}

function notYaml(file: string, errors: readonly Error[]): MappingError {
  return new MappingError(
    file,
    errors.map(({ message }) => `the file is not valid YAML: ${message.split('\n')[0]?.replace(/:$/, '')}`),
  );
}

/** A semicolon that is followed by comments only. */
const END = /;(?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)*$/;

/** The select becomes part of other statements, so a final semicolon is removed, unless it is inside a text. */
function selectOf(written: string | undefined): string | null {
  if (written === undefined) return null;
  const select = written.trim();
  const body = select.replace(END, '');
  const isWhole = body.split("'").length % 2 === 1;
  return isWhole ? body : select;
}
