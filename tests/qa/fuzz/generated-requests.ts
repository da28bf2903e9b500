import fc, { type Arbitrary } from 'fast-check';
import { OPERATIONS, type Operation } from '../../../src/adapters/http/endpoints/endpoints.js';
import { anyText } from '../../support/http/arbitraries.js';
import { anyParameter, exampleOf, type Written } from './generated-parameters.js';

/** A request generated from the schemas that validate it, and the answer that the API has to give. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: { readonly status: number; readonly names: readonly string[] };
}

export const VALID_KEY = 'the-valid-key-of-generated-requests';

export function anyRequest(): Arbitrary<GeneratedRequest> {
  return fc.oneof(...OPERATIONS.map(requestFor));
}

function requestFor(operation: Operation): Arbitrary<GeneratedRequest> {
  const parameters = Object.entries(operation.query.properties).map(([name, schema]) =>
    anyParameter(name, schema, mayBeAbsent(operation, name)),
  );
  return fc
    .record({
      segment: segmentFor(operation),
      query: fc.tuple(...parameters),
      unknown: fc.array(
        anyText(6).map((text) => `unknown-${encodeURIComponent(text)}=%00`),
        { maxLength: 2 },
      ),
      reversed: fc.boolean(),
      method: oftenFirst('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      key: oftenFirst(VALID_KEY, 'another-key-of-nobody', 'short', ''),
      match: oftenFirst('', '*', '"another"', 'W/"x", "y'),
      encoding: fc.constantFrom('identity', 'br', 'gzip, br;q=0.1', '*;q=0', 'nonsense'),
      requestId: fc.constantFrom('mine', '', 'two words', 'x'.repeat(129)),
    })
    .map(({ segment, query, unknown, reversed, method, key, match, encoding, requestId }) => {
      const pairs = [
        ...query.flatMap(({ name, values }) => values.map((value) => `${name}=${value}`)),
        ...unknown,
      ];
      const search = (reversed ? pairs.toReversed() : pairs).join('&');
      const path = operation.path.replace(/:\w+/, encodeURIComponent(segment));
      const status = expectedStatus(operation, { segment, query, method, key });
      const invalid = query.filter(({ fault }) => fault === 'invalid').map(({ name }) => name);
      const malformed = query.some(({ fault }) => fault === 'malformed');
      return {
        method,
        path: search === '' ? path : `${path}?${search}`,
        headers: {
          'X-API-Key': key,
          'If-None-Match': match,
          'Accept-Encoding': encoding,
          'X-Request-Id': requestId,
        },
        expected: {
          status: status === 200 && match === '*' ? 304 : status,
          names: status === 400 && !malformed ? invalid : [],
        },
      };
    });
}

function expectedStatus(
  operation: Operation,
  {
    segment,
    query,
    method,
    key,
  }: { segment: string; query: readonly Written[]; method: string; key: string },
): number {
  if (key !== VALID_KEY) return 401;
  if (method !== 'GET' && method !== 'HEAD') return 405;
  if (query.some(({ fault }) => fault !== 'none')) return 400;
  if (operation.segment === null) return 200;
  const named = query.every(({ name, values }) => {
    const schema = operation.query.properties[name];
    return schema !== undefined && values[0] === exampleOf(schema);
  });
  return named && segment === exampleOf(operation.segment) ? 200 : 404;
}

function segmentFor({ segment }: Operation): Arbitrary<string> {
  if (segment === null) return fc.constant('');
  const text = fc.oneof(anyText(12), fc.constantFrom('\0', 'a\0b', '..', '.', 'slug'));
  return fc.oneof(fc.constant(exampleOf(segment)), text).filter((value) => value !== '');
}

function mayBeAbsent({ query }: Operation, name: string): boolean {
  const schema: object = query.properties[name] ?? {};
  return 'default' in schema || !(query.required ?? []).includes(name);
}

function oftenFirst(usual: string, ...others: readonly string[]): Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}
