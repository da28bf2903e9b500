import { CAPTURED_KINDS, SOURCES } from './dashboard-mapping.js';

const SQL = { type: 'string', pattern: '\\S' };
const fieldsOf = (names: readonly string[], schema: object) =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** JSON schema of a mapping. */
export const MAPPING_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['websites', 'blogs', 'api_keys', 'captures'],
  properties: {
    time_zone: { type: 'string', minLength: 1 },
    ...fieldsOf(SOURCES, SQL),
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
