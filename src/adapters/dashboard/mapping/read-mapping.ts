import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { parseDocument } from 'yaml';
import { CAPTURED_KINDS, type DashboardMapping, SOURCES } from './dashboard-mapping.js';

/** Formats of the schema. A select has to begin like one; the database reports other mistakes. */
const FORMATS = { select: /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)*(?:\(|(?:select|with|values|table)\b)/i };

const SELECT = { type: 'string', format: 'select' };
const SQL = { type: 'string', pattern: '\\S' };
const fieldsOf = (names: readonly string[], schema: object) =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** Replaces a select of keys: the project creates a table for them. */
const MANAGED = 'managed';

/** JSON schema of a mapping. */
const MAPPING_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['websites', 'blogs', 'api_keys', 'captures'],
  properties: {
    time_zone: { type: 'string', minLength: 1 },
    ...fieldsOf(SOURCES, SELECT),
    api_keys: { anyOf: [SELECT, { const: MANAGED }] },
    captures: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        if: { type: 'string' },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
        then: { const: 'everything' },
        else: { type: 'object', additionalProperties: false, properties: fieldsOf(CAPTURED_KINDS, SQL) },
      },
    },
  },
};

const FIELDS = ['time_zone', ...SOURCES, 'captures'];

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

/**
 * Loaded for a mapping that others wrote, because it takes a fifth of the time of a short command.
 */
function validator(): ValidateFunction<Written> {
  const { Ajv }: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  const options = { meta: false, validateSchema: false, allErrors: true, allowUnionTypes: true };
  return new Ajv({ ...options, formats: FORMATS }).compile<Written>(MAPPING_SCHEMA);
}

/** `isOurs`: a test has validated it. */
export function readMapping(file: string, isOurs = false): DashboardMapping {
  const written = parse(file, textOf(file)) as Written;
  const isValid = isOurs ? null : validator();
  if (isValid?.(written) === false) throw new MappingError(file, describeErrors(isValid.errors ?? []));
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

/** Without its final semicolon, because it becomes part of other statements. */
function selectOf(written: string | undefined): string | null {
  if (written === undefined) return null;
  const select = written.trim();
  const body = select.replace(END, '');
  const isWhole = body.split("'").length % 2 === 1;
  return isWhole ? body : select;
}

/** What is wrong with the format of a mapping, in words for its author. */
function describeErrors(errors: readonly ErrorObject[]): readonly string[] {
  return [...new Set(errors.filter(({ keyword }) => keyword !== 'if').map(describe))];
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(unescaped);
  const [field, table, kind] = path;
  if (field === undefined) return problemOfWhole(keyword, params, message);
  if (field !== 'captures') {
    return field === 'time_zone'
      ? 'time_zone: expected the name of a time zone, such as Europe/Paris'
      : `${field}: expected a select, such as "select id, … from …"${field === 'api_keys' ? ', or the word managed' : ''}`;
  }
  if (table === undefined)
    return 'captures: expected the tables that the selects read, each with the kinds that it affects and their keys';
  const where = `captures.${table}`;
  if (keyword === 'additionalProperties') {
    return `${where}: there is no kind ${params.additionalProperty}; the kinds are ${CAPTURED_KINDS.join(', ')}`;
  }
  if (kind !== undefined) {
    return `${where}.${kind}: expected an SQL expression over the changed row, such as id, or a select over changed`;
  }
  return `${where}: expected kinds with their keys, such as { blogs: id }, the word everything, or {} for a table that never changes`;
}

function problemOfWhole(keyword: string, params: ErrorObject['params'], message = ''): string {
  if (keyword === 'required') return `${params.missingProperty}: the field is missing`;
  if (keyword === 'additionalProperties') {
    return `${params.additionalProperty}: there is no such field; the fields are ${FIELDS.join(', ')}`;
  }
  return keyword === 'type'
    ? 'the file has no fields; expected those that docs/dashboards.md lists'
    : message;
}

/** Decodes a part of a JSON pointer. */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
