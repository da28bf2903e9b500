import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv, type ErrorObject } from 'ajv';
import { DomainError } from '../../../domain/errors.js';
import type { Operation } from '../endpoints/endpoints.js';
import type { Static, TObject, TSchema } from '../endpoints/schema.js';

/** Refusals that only concern HTTP. */
export type RequestErrorCode =
  | 'unknown-path'
  | 'method-not-allowed'
  | 'invalid-parameters'
  | 'malformed-address';

export class RequestError extends Error {
  override readonly name = 'RequestError';

  /** `details`: what was wrong with this request. It is sent to the caller. */
  constructor(
    readonly code: RequestErrorCode,
    readonly details = '',
  ) {
    super(code);
  }
}

/** Raise it when the same rows are presented differently under the same schema. */
const PRESENTATION = 1;
const MIN_GENERATION = /^(0|[1-9][0-9]*)$/;
const WHOLE_NUMBER = /^[1-9][0-9]*$/;
/** The separator is four characters long, so more values than this never fit. */
const QUOTED_VALUES = 27;
const QUOTED_LENGTH = 100;

/** Host names have at most 253 characters, and the key is not checked yet. */
const MAX_HOST_LENGTH = 512;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Our schemas are not validated themselves: that takes as long as everything else at the start. */
const ajv = new Ajv({ allErrors: true, useDefaults: true, meta: false, validateSchema: false }).addKeyword({
  keyword: 'trim',
  schemaType: 'boolean',
});

/** What a request asks of an operation. */
export interface ParsedRequest<Described extends Operation = Operation> {
  readonly operation: Described;
  /** The variable part of the path, empty if there is none. */
  readonly segment: string;
  readonly query: Static<Described['query']>;
  /** Equal for equal requests, however they are written, and different for each `answerForm`. */
  readonly request: string;
}

/** Parses a request from the variable part of its path, its query string and its headers. */
export function requestParser<Described extends Operation>(
  operation: Described,
): (capture: string, queryString: string, headers: IncomingHttpHeaders) => ParsedRequest<Described> {
  const form = answerForm(operation);
  const parse = parameterParser<Described['query']>(operation.query);

  return (capture, queryString, headers) => {
    const segment = decodeComponent(capture);
    const query = parse(queryString, minGenerationProblems(headers));
    // No stored text has a NUL, so no blog has this name.
    if (segment.includes('\0')) throw new DomainError('blog-not-found');
    return { operation, segment, query, request: JSON.stringify([operation.path, form, segment, query]) };
  };
}

/** Separates the answers of versions that present content differently but share one Redis. */
export function answerForm({ content, path }: Pick<Operation, 'content' | 'path'>): string {
  return hash('sha256', JSON.stringify([PRESENTATION, path, content]), 'base64url').slice(0, 12);
}

/** The lowest generation that the caller accepts; null for an invalid header. */
export function minGenerationOf({ 'x-min-generation': header = '0' }: IncomingHttpHeaders): number | null {
  return typeof header === 'string' && MIN_GENERATION.test(header) ? Number(header) : null;
}

/** In the same words as for a parameter. */
function minGenerationProblems(headers: IncomingHttpHeaders): readonly string[] {
  if (minGenerationOf(headers) !== null) return [];
  const value = quoted(String(headers['x-min-generation']));
  return [`X-Min-Generation must be a whole number, in plain digits ${value}`];
}

/** Turns parameters into the input of an operation, or reports every problem at once. */
function parameterParser<Schema extends TObject>(
  schema: Schema,
): (queryString: string, headerProblems: readonly string[]) => Static<Schema> {
  const validate = ajv.compile(schema);
  const names = Object.keys(schema.properties);
  const nameSet = new Set(names);

  return (queryString, headerProblems) => {
    const raw = parseQueryString(queryString, nameSet);
    const given = names.filter((name) => raw.has(name));
    const parameters = Object.fromEntries(
      given.map((name) => [name, read(schema.properties[name], raw.get(name)?.[0])]),
    );
    validate(parameters);
    const problems = names.flatMap((name) => {
      const values = raw.get(name) ?? [];
      const error = validate.errors?.find((candidate) => parameterOf(candidate) === name);
      const rule =
        values.length > 1 ? 'must be given only once' : error && ruleOf(error, schema.properties[name]);
      return rule === undefined ? [] : [[name, rule, ...quotedValues(values)].join(' ')];
    });
    problems.unshift(...headerProblems);
    if (problems.length > 0) throw new RequestError('invalid-parameters', problems.join('; '));
    // In the order of the schema, so that the order of the parameters makes no difference.
    const inOrder = names.filter((name) => name in parameters).map((name) => [name, parameters[name]]);
    return Object.fromEntries(inOrder) as Static<Schema>;
  };
}

/** A number that is not in plain digits stays text, which the schema refuses. */
function read(schema: TSchema | undefined, encoded = ''): string | number {
  const text = decodeFormComponent(encoded);
  const rules: { type?: unknown; trim?: unknown } = schema ?? {};
  if (rules.type === 'integer' && WHOLE_NUMBER.test(text)) return Number(text);
  return rules.trim === true ? text.trim() : text;
}

function parameterOf(error: ErrorObject): string {
  return error.keyword === 'required' ? error.params.missingProperty : error.instancePath.slice(1);
}

function ruleOf(error: ErrorObject, schema: TSchema | undefined): string {
  const rules: { minimum?: number; maximum?: number; maxLength?: number } = schema ?? {};
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must be at most ${rules.maxLength} characters long`;
    case 'pattern':
      return 'must not contain a NUL character';
    default:
      return `must be a whole number from ${rules.minimum} to ${rules.maximum}, in plain digits`;
  }
}

function quotedValues(values: readonly string[]): readonly string[] {
  if (values.length === 0) return [];
  return [quoted(values.slice(0, QUOTED_VALUES).map(decodeFormComponent).join('", "'))];
}

/** A caller's value as an error shows it: cut to 100 characters. */
function quoted(value: string): string {
  // A character takes one or two units of a string's length.
  const characters = [...value.slice(0, 2 * QUOTED_LENGTH + 2)];
  const cut = characters.length <= QUOTED_LENGTH ? characters : [...characters.slice(0, QUOTED_LENGTH), '…'];
  return `(got "${cut.join('')}")`;
}

/** A path with a query string, whatever follows the method: a path, a URL, or neither. */
export function addressOf(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target;
  const path = target
    .replace(SCHEME_AND_HOST, (host) => (host.length <= MAX_HOST_LENGTH && URL.canParse(host) ? '' : host))
    .replaceAll('#', '%23');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Node refuses bytes that are not encoded before they arrive here. */
export function decodeComponent(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new RequestError('malformed-address');
  }
}

/** Decodes a component of a query string, where a plus is a space. */
function decodeFormComponent(encoded: string): string {
  return decodeComponent(encoded.replaceAll('+', ' '));
}

/** The values of these names, still encoded; other parameters are only checked, in one call. */
function parseQueryString(
  queryString: string,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  // No separator can be part of an escape or a character, so this checks all parts.
  decodeComponent(queryString);
  const values = new Map<string, string[]>();
  for (const pair of queryString.split('&')) {
    const nameEnd = pair.indexOf('=');
    const written = nameEnd === -1 ? pair : pair.slice(0, nameEnd);
    const name = names.has(written) || !written.includes('%') ? written : decodeURIComponent(written);
    if (!names.has(name)) continue;
    const value = nameEnd === -1 ? '' : pair.slice(nameEnd + 1);
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, [value]);
    else earlier.push(value);
  }
  return values;
}
