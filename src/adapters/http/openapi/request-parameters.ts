import { type TSchema, Type } from 'typebox';
import type { Operation } from '../endpoints/operations.js';

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

export function parametersOf({ path, segment, query }: Operation) {
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
export function pathTemplate({ path }: Operation): string {
  return path.replace(/:(\w+)/, '{$1}');
}

function segmentName(path: string): string {
  return /:(\w+)/.exec(path)?.[1] ?? '';
}

function parameter(place: 'path' | 'query' | 'header', name: string, schema: TSchema, required: boolean) {
  // `trim` is our own annotation, not a keyword of JSON Schema.
  const { description, trim, ...rules } = schema as { description?: string; trim?: boolean };
  return { name, in: place, required, description, schema: rules };
}
