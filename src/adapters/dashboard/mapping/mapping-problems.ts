import type { ErrorObject } from 'ajv';
import { CAPTURED_KINDS, SOURCES } from './dashboard-mapping.js';

const FIELDS = ['time_zone', ...SOURCES, 'captures'];

/** What is wrong with the format of a mapping, in words for its author. */
export function describeErrors(errors: readonly ErrorObject[]): readonly string[] {
  return [...new Set(errors.filter(({ keyword }) => keyword !== 'if').map(describe))];
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(unescaped);
  const [field, table, kind] = path;
  if (field === undefined) return problemOfWhole(keyword, params, message);
  if (field !== 'captures') {
    return field === 'time_zone'
      ? 'time_zone: expected the name of a time zone, such as Europe/Paris'
      : `${field}: expected a select, such as "select id, … from …"${field === 'api_keys' ? ', or the word managed' : ''}`;
  }
  if (table === undefined)
    return 'captures: expected the tables that the selects read, each with the kinds that it affects and their keys';
  const where = `captures.${table}`;
  if (keyword === 'additionalProperties') {
    return `${where}: there is no kind ${params.additionalProperty}; the kinds are ${CAPTURED_KINDS.join(', ')}`;
  }
  if (kind !== undefined) {
    return `${where}.${kind}: expected an SQL expression over the changed row, such as id, or a select over changed`;
  }
  return `${where}: expected kinds with their keys, such as { blogs: id }, the word everything, or {} for a table that never changes`;
}

function problemOfWhole(keyword: string, params: ErrorObject['params'], message = ''): string {
  if (keyword === 'required') return `${params.missingProperty}: the field is missing`;
  if (keyword === 'additionalProperties') {
    return `${params.additionalProperty}: there is no such field; the fields are ${FIELDS.join(', ')}`;
  }
  return keyword === 'type'
    ? 'the file has no fields; expected those that docs/dashboards.md lists'
    : message;
}

/** Decodes a part of a JSON pointer. */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
