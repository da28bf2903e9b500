import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { codeOf } from '../../../domain/policies/reason-of.js';
import { CAPTURED_KINDS, type DashboardMapping, SOURCES } from './dashboard-mapping.js';

/** A select has to begin like one; the database reports other mistakes. */
const SELECT = /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)*(?:\(|(?:select|with|values|table)\b)/i;
/** Replaces a select of keys: the project creates a table for them. */
const MANAGED = 'managed';
const REQUIRED = ['websites', 'blogs', 'api_keys', 'captures'];
const FIELDS: readonly string[] = ['time_zone', ...SOURCES, 'captures'];

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

export function readMapping(file: string): DashboardMapping {
  const content = parsed(file, textOf(file));
  const problems = problemsOf(content);
  if (problems.length > 0) throw new MappingError(file, problems);
  const written = content as Written;
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
    throw new MappingError(file, [
      `the file cannot be read (${codeOf(error)}); correct the path in DASHBOARD_MAPPING`,
    ]);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new MappingError(file, [`the file is not valid YAML: ${reason.replace(/:$/, '')}`]);
  }
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

/** What is wrong with the form of a mapping, in words for its author. */
function problemsOf(written: unknown): readonly string[] {
  if (!isObject(written)) return ['the file has no fields; expected those that docs/dashboards.md lists'];
  const missing = REQUIRED.filter((field) => !(field in written));
  return [
    ...missing.map((field) => `${field}: the field is missing`),
    ...Object.entries(written).flatMap(([field, value]) => problemsOfField(field, value)),
  ];
}

function problemsOfField(field: string, value: unknown): readonly string[] {
  if (!FIELDS.includes(field))
    return [`${field}: there is no such field; the fields are ${FIELDS.join(', ')}`];
  if (field === 'time_zone') {
    try {
      new Intl.DateTimeFormat('en', { timeZone: String(value) });
      return [];
    } catch {
      return ['time_zone: expected the name of a time zone, such as Europe/Paris'];
    }
  }
  if (field !== 'captures') {
    const mayBeManaged = field === 'api_keys';
    if (typeof value === 'string' && (SELECT.test(value) || (mayBeManaged && value === MANAGED))) return [];
    const orManaged = mayBeManaged ? ', or the word managed' : '';
    return [`${field}: expected a select, such as "select id, … from …"${orManaged}`];
  }
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([table, touches]) => problemsOfTable(table, touches));
  return [
    'captures: expected the tables that the selects read, each with the kinds that it affects and their keys',
  ];
}

function problemsOfTable(table: string, touches: unknown): readonly string[] {
  if (touches === 'everything') return [];
  if (!isObject(touches)) {
    return [
      `captures.${table}: expected kinds with their keys, such as { blogs: id }, the word everything, or {} for a table that never changes`,
    ];
  }
  return Object.entries(touches).flatMap(([kind, key]) => {
    if (!(CAPTURED_KINDS as readonly string[]).includes(kind))
      return [`captures.${table}: there is no kind ${kind}; the kinds are ${CAPTURED_KINDS.join(', ')}`];
    return typeof key === 'string' && key.trim() !== ''
      ? []
      : [
          `captures.${table}.${kind}: expected an SQL expression over the changed row, such as id, or a select over changed`,
        ];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
