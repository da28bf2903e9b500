import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../../domain/errors.js';
import type { Operation } from '../endpoints/endpoints.js';
import type { Static, TObject, TSchema } from '../endpoints/schema.js';
import { decodeComponent, decodeFormComponent, parseQueryString } from './address.js';
import { RequestError } from './request-error.js';

/** Raise it when the same rows are presented differently under the same schema. */
const PRESENTATION = 1;
const MIN_GENERATION = /^(0|[1-9][0-9]*)$/;
const WHOLE_NUMBER = /^[1-9][0-9]*$/;
/** The separator is four characters long, so more values than this never fit. */
const QUOTED_VALUES = 27;
const QUOTED_LENGTH = 100;

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
    // PostgreSQL stores no text with a NUL, so no blog has this name.
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
  const parameters = Object.entries(schema.properties).map(([name, rules]) => {
    const isRequired = schema.required?.includes(name) === true;
    return { name, rules, isRequired };
  });
  const names = new Set(parameters.map(({ name }) => name));

  return (queryString, headerProblems) => {
    const raw = parseQueryString(queryString, names);
    const problems = [...headerProblems];
    // In the order of the schema, so that the order of the parameters makes no difference.
    const values: Record<string, unknown> = {};
    for (const { name, rules, isRequired } of parameters) {
      const written = raw.get(name) ?? [];
      const value = written[0] === undefined ? rules.default : read(rules, written[0]);
      const problem = written.length > 1 ? 'must be given only once' : problemOf(value, rules, isRequired);
      if (problem !== null) problems.push([name, problem, ...quotedValues(written)].join(' '));
      else if (value !== undefined) values[name] = value;
    }
    if (problems.length > 0) throw new RequestError('invalid-parameters', problems.join('; '));
    return values as Static<Schema>;
  };
}

/** A number that is not in plain digits stays text, which the schema refuses. */
function read({ type, trim }: TSchema, encoded: string): string | number {
  const text = decodeFormComponent(encoded);
  if (type === 'integer' && WHOLE_NUMBER.test(text)) return Number(text);
  return trim === true ? text.trim() : text;
}

/** Validates by itself: a package for JSON schemas takes a tenth of the start of the API. */
function problemOf(value: unknown, rules: TSchema, isRequired: boolean): string | null {
  if (value === undefined) return isRequired ? 'is required' : null;
  if (rules.type === 'integer') {
    const { minimum = 1, maximum = 1 } = rules;
    const isWithin = typeof value === 'number' && value >= minimum && value <= maximum;
    return isWithin ? null : `must be a whole number from ${minimum} to ${maximum}, in plain digits`;
  }
  const text = String(value);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rules;
  // A character takes one or two units of a string's length.
  const { length } = [...text];
  if (length > maxLength) return `must be at most ${maxLength} characters long`;
  if (length < minLength) return 'must not be empty';
  return text.includes('\0') ? 'must not contain a NUL character' : null;
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
