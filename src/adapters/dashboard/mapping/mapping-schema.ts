import { CAPTURED_KINDS, SOURCES } from './dashboard-mapping.js';

/** Formats of the schema. A select has to begin like one, after comments. The database reports any other mistake in it. */
export const FORMATS = { select: /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)*(?:\(|(?:select|with|values|table)\b)/i };

const SELECT = { type: 'string', format: 'select' };
const SQL = { type: 'string', pattern: '\\S' };
const fieldsOf = (names: readonly string[], schema: object) =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** Replaces a select of keys: the project creates a table for them. */
export const MANAGED = 'managed';

/** JSON schema of a mapping. */
export const MAPPING_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['websites', 'blogs', 'api_keys', 'captures'],
  properties: {
    time_zone: { type: 'string', minLength: 1 },
    ...fieldsOf(SOURCES, SELECT),
    api_keys: { anyOf: [SELECT, { const: MANAGED }] },
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
