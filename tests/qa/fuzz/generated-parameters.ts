import fc, { type Arbitrary } from 'fast-check';
import type { TSchema } from '../../../src/adapters/http/endpoints/schema.js';
import { anyText } from '../../support/http/arbitraries.js';

interface Rules {
  readonly type: 'integer' | 'string';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly trim?: boolean;
  readonly examples?: readonly string[];
}

/** The values of a parameter as written in the address. Without values, it is left out. */
export interface Written {
  readonly name: string;
  readonly values: readonly string[];
  readonly fault: 'none' | 'invalid' | 'malformed';
}

/** The example in the schema: there is content with this name. */
export function exampleOf(schema: TSchema): string {
  return (schema as unknown as Rules).examples?.[0] ?? '';
}

/** Mostly valid. An invalid one has a single fault. */
export function anyParameter(name: string, schema: TSchema, optional: boolean): Arbitrary<Written> {
  const rules = schema as unknown as Rules;
  const valid = anyValid(rules).chain(encoded);
  const written = (values: Arbitrary<readonly string[]>, fault: Written['fault']) =>
    values.map((given): Written => ({ name, values: given, fault }));
  return fc.oneof(
    { weight: 4, arbitrary: written(fc.constant([]), optional ? 'none' : 'invalid') },
    { weight: 8, arbitrary: written(fc.tuple(valid), 'none') },
    { weight: 1, arbitrary: written(fc.tuple(anyInvalid(rules).chain(encoded)), 'invalid') },
    { weight: 1, arbitrary: written(fc.tuple(valid, valid), 'invalid') },
    { weight: 1, arbitrary: written(fc.tuple(fc.constantFrom('%', '%f', '%FF', '%C3%28')), 'malformed') },
  );
}

function anyValid({
  type,
  minimum,
  maximum,
  minLength = 0,
  maxLength,
  trim,
  examples = [],
}: Rules): Arbitrary<string> {
  if (type === 'integer') return fc.integer({ min: minimum ?? 1, max: maximum ?? 1 }).map(String);
  const length = (text: string) => [...(trim === true ? text.trim() : text)].length;
  const longest = maxLength === undefined ? [] : ['x'.repeat(maxLength), '😀'.repeat(maxLength)];
  const padded = trim === true ? longest.map((text) => ` \t${text} `) : [];
  return fc
    .oneof(fc.constantFrom(...examples, ...longest, ...padded), anyText(12))
    .filter((text) => length(text) >= minLength && length(text) <= (maxLength ?? Number.POSITIVE_INFINITY));
}

/** For each rule, a text that breaks it. */
function anyInvalid({ type, minimum, maximum, minLength, maxLength, pattern }: Rules): Arbitrary<string> {
  if (type === 'integer') {
    const outside = [
      minimum === undefined ? [] : [minimum - 1],
      maximum === undefined ? [] : [maximum + 1],
    ].flat();
    return fc.constantFrom(
      ...outside.map(String),
      '',
      '-1',
      '1.5',
      '01',
      '+1',
      '1e2',
      '0x10',
      ' 1',
      '1\0',
      '٣',
      'one',
    );
  }
  return fc.constantFrom(
    ...(minLength === undefined ? [] : ['']),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : ['\0', 'a\0b']),
  );
}

function encoded(text: string): Arbitrary<string> {
  const percent = encodeURIComponent(text);
  return fc.constantFrom(
    percent,
    percent.replaceAll('%20', '+'),
    percent.replace(/%../g, (hex) => hex.toLowerCase()),
  );
}
