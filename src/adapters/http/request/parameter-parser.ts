import { Ajv, type ErrorObject } from 'ajv';
import type { Static, TObject, TSchema } from 'typebox';
import { decodeFormComponent, parseQueryString } from './address.js';
import { quotedValue } from './quoted-value.js';
import { RequestError } from './request-error.js';

const WHOLE_NUMBER = /^[1-9][0-9]*$/;
/** The separator is four characters long, so more values than this never fit. */
const SHOWN_VALUES = 27;

const ajv = new Ajv({ allErrors: true, useDefaults: true }).addKeyword({
  keyword: 'trim',
  schemaType: 'boolean',
});

/**
 * Turns what a caller wrote into the input of an endpoint, or reports everything that is wrong with it, after the problems found elsewhere
 * in the same request. Ignores unknown parameters.
 */
export function parameterParser<Schema extends TObject>(
  schema: Schema,
): (queryString: string, others?: readonly string[]) => Static<Schema> {
  const validate = ajv.compile(schema);
  const names = Object.keys(schema.properties);
  const known = new Set(names);

  return (queryString, others = []) => {
    const raw = parseQueryString(queryString, known);
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
      return rule === undefined ? [] : [[name, rule, ...shown(values)].join(' ')];
    });
    problems.unshift(...others);
    if (problems.length > 0) throw new RequestError('invalid-parameters', problems.join('; '));
    // In the order of the schema, so that equal requests have equal text whatever order the caller uses.
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

function shown(values: readonly string[]): readonly string[] {
  if (values.length === 0) return [];
  return [quotedValue(values.slice(0, SHOWN_VALUES).map(decodeFormComponent).join('", "'))];
}
