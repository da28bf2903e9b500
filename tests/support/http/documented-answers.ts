import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../../src/adapters/http/openapi/openapi-document.js';

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, decompressed. */
  readonly text: string;
}

interface Responses {
  readonly [status: string]: { readonly $ref?: string; readonly content?: object };
}

const TRANSPORT_HEADERS = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
];
/** The server may refuse any other target before the API receives it. Then only the envelope is promised. */
const PATH_AND_QUERY = /^\/[!-~]*$/;

/** The document without additional properties: one field too many can be one that no caller may see. */
const document = JSON.parse(JSON.stringify(openApiDocument()), (_name, value) =>
  value?.type === 'object' ? { ...value, additionalProperties: false } : value,
);
const options = { strict: false, validateFormats: false, validateSchema: false, allErrors: true };
const bodies = new Ajv2020(options).addSchema(document, 'openapi');
const headers = new Ajv2020({ ...options, coerceTypes: true });

const operations = Object.entries<{ get: { responses: Responses } }>(document.paths).map(
  ([template, { get }]) => ({
    address: new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}/?$`),
    template,
    responses: get.responses,
  }),
);
/** The responses that any path may have, by status. Those of a single operation are not references. */
const sharedErrors: Responses = Object.assign({}, ...operations.map(({ responses }) => responses));
const validators = new Map<string, { head: ValidateFunction; body: ValidateFunction | null }>();

/**
 * Throws if the API's description promises another answer. Any request to a path that is not described has to receive
 * one of the shared errors.
 */
export function expectDocumented({ method, path, status, headers, text }: Exchange): void {
  if (!PATH_AND_QUERY.test(path)) return;
  const [target = ''] = path.split('?');
  const operation = operations.find(({ address }) => address.test(target));
  const pointer = operation === undefined ? sharedErrors[status]?.$ref : responseOf(operation, status);
  const fail = (what: string): never => {
    throw new Error(`${status} on ${method} ${path} is not as documented: ${what}`);
  };
  const { head, body } = pointer === undefined ? fail('no such status') : validatorsOf(pointer);
  if (!head({ ...headers })) fail(`headers: ${bodies.errorsText(head.errors)}`);
  if (body === null || method === 'HEAD') {
    if (text !== '') fail('it has a body');
    return;
  }
  if (!headers['content-type']?.startsWith('application/json')) fail(`it is ${headers['content-type']}`);
  if (!body(JSON.parse(text))) fail(bodies.errorsText(body.errors));
}

function responseOf({ template, responses }: (typeof operations)[number], status: number) {
  const response = responses[status];
  if (response === undefined) return undefined;
  return response.$ref ?? `#/paths/${template.replaceAll('/', '~1')}/get/responses/${status}`;
}

function validatorsOf(pointer: string) {
  const known = validators.get(pointer) ?? compile(pointer);
  validators.set(pointer, known);
  return known;
}

function compile(pointer: string) {
  const response = resolve(pointer);
  const named = Object.entries<{ $ref: string }>(response.headers).map(
    ([name, { $ref }]) => [name.toLowerCase(), resolve($ref)] as const,
  );
  const head = headers.compile({
    type: 'object',
    properties: Object.fromEntries([
      ...TRANSPORT_HEADERS.map((name) => [name, {}]),
      ...named.map(([name, { schema }]) => [name, schema]),
    ]),
    required: named.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  });
  const schema = `openapi${pointer}/content/application~1json/schema`;
  return { head, body: response.content === undefined ? null : bodies.compile({ $ref: schema }) };
}

// biome-ignore lint/suspicious/noExplicitAny: any part of the document
function resolve(pointer: string): any {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/'));
  // biome-ignore lint/suspicious/noExplicitAny: any part of the document
  return names.reduce<any>((part, name) => part[name], document);
}
