import {
  Blog,
  BlogDetail,
  BlogPage,
  Category,
  CategoryList,
  OneBlog,
  Pagination,
  Tag,
  TagList,
  Term,
} from '../endpoints/content-schemas.js';
import { OPERATIONS, type Operation } from '../endpoints/endpoints.js';
import { type TSchema, Type } from '../endpoints/schema.js';
import { ErrorEnvelope } from '../response/error-response.js';
import { CONTENT_PUBLISHED, ContentPublished } from './content-published.js';
import { errorResponses, operationResponses, RESPONSE_HEADERS } from './operation-responses.js';

const OF_EVERY_REQUEST = {
  'If-None-Match': Type.String({
    description: 'The `ETag` of the response that the client has: 304 if it is still current',
  }),
  'X-Min-Generation': Type.Integer({
    minimum: 0,
    description:
      'Waits up to a second until the content has this generation or a later one, then returns the current content; `X-Content-Generation` is its generation',
  }),
  'X-Request-Id': Type.String({
    description:
      "The caller's id for the request: 1 to 128 characters of `A-Za-z0-9._-`; other values are ignored",
  }),
};

const DESCRIPTION = `Read-only access to the published blogs, categories and tags of an organization.

- Every request needs the header \`X-API-Key\`. A key belongs to one organization and reads all its websites, and no others. Keep it on your server.
- 100 requests a minute for each key in a sliding window, unless the operator has configured another limit. Every response has the \`X-RateLimit-*\` headers.
- HEAD is answered like GET, without the body. Unknown parameters are ignored, repeated ones are refused.
- A request that is not HTTP gets a 400, one with headers above 8 KiB a 431 and one that is not sent completely a 408: in the same envelope, but without these headers.`;

/** The API as OpenAPI 3.1, generated from what routes, validates and presents. */
export function openApiDocument() {
  const schemas = {
    Blog,
    BlogDetail,
    BlogPage,
    Category,
    CategoryList,
    ContentPublished,
    ErrorEnvelope,
    OneBlog,
    Pagination,
    Tag,
    TagList,
    Term,
  };
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Blog Content Read API',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{origin}',
        description: 'The public port',
        variables: { origin: { default: 'http://127.0.0.1:3000' } },
      },
    ],
    security: [{ ApiKey: [] }],
    paths: Object.fromEntries(
      OPERATIONS.map((operation) => [pathTemplate(operation), { get: describe(operation) }]),
    ),
    webhooks: { 'content.published': { post: CONTENT_PUBLISHED } },
    components: {
      schemas,
      headers: RESPONSE_HEADERS,
      responses: errorResponses(),
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Created in the dashboard. The API reads it from this header only',
        },
      },
    },
  };
  return withReferences(document, schemas);
}

/** Documentation pages group operations by this tag. */
function resourceOf({ path }: Operation): string {
  return path.replace('/api/v1/', '').split('/')[0] ?? '';
}

function describe(operation: Operation) {
  return {
    operationId: operation.id,
    tags: [resourceOf(operation)],
    summary: operation.summary,
    parameters: parametersOf(operation),
    responses: operationResponses(operation),
  };
}

function parametersOf({ path, segment, query }: Operation) {
  const required = (name: string, schema: TSchema) =>
    (query.required ?? []).includes(name) && !('default' in schema);
  return [
    ...(segment === null ? [] : [parameter('path', segmentName(path), segment, true)]),
    ...Object.entries(query.properties).map(([name, schema]) =>
      parameter('query', name, schema, required(name, schema)),
    ),
    ...Object.entries(OF_EVERY_REQUEST).map(([name, schema]) => parameter('header', name, schema, false)),
  ];
}

/** The path as OpenAPI writes it. */
function pathTemplate({ path }: Operation): string {
  return path.replace(/:(\w+)/, '{$1}');
}

function segmentName(path: string): string {
  return /:(\w+)/.exec(path)?.[1] ?? '';
}

function parameter(location: 'path' | 'query' | 'header', name: string, schema: TSchema, required: boolean) {
  // `trim` is our own annotation, not a keyword of JSON Schema.
  const { description, trim, ...rules } = schema as { description?: string; trim?: boolean };
  return { name, in: location, required, description, schema: rules };
}

/** The document as plain JSON, with each schema defined once. */
function withReferences<Document>(document: Document, schemas: Readonly<Record<string, object>>): Document {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
  const text = JSON.stringify(document, function (this: object, _key, value) {
    const name = this === schemas ? undefined : names.get(value);
    return name === undefined ? value : { $ref: `#/components/schemas/${name}` };
  });
  return JSON.parse(text);
}
