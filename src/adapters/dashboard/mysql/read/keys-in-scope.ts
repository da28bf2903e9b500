import { type Dependents, dependentsIn } from '../../source/keys-in-scope.js';
import { SOURCE_OF, type Walk } from '../../source/source-dialect.js';
import type { MappedTables } from './mapped-tables.js';

/**
 * A query for the next ids of a kind in a scope; null: there are none. Each part returns its own
 * next ids, so that no step reads all.
 */
export function nextKeysIn({ scope, kind, after, limit }: Walk, tables: MappedTables): string | null {
  const parts = dependentsIn(scope, kind) ?? [{ source: SOURCE_OF[kind], id: 'id', by: '' }];
  if (parts.length === 0) return null;
  const next = parts.map((part) => {
    const from =
      'keys' in scope
        ? fromOf(part, tables, scope.keys)
        : `${tables.table(part.source, 'mapped')} where true`;
    const isNext = after === null ? 'true' : tables.isAfter(part.source, 'mapped', part.id, after);
    return `(select distinct mapped.${part.id} as id from ${from} and ${isNext} order by 1 limit ${limit})`;
  });
  return `select id from (${next.join(' union ')}) as present order by id limit ${limit}`;
}

function fromOf({ source, by, through }: Dependents, tables: MappedTables, keys: readonly string[]): string {
  const rows = tables.table(source, 'mapped');
  if (through === undefined) {
    const isAbsent = tables.column(source, 'mapped', by) === 'null';
    return `${rows} where ${isAbsent ? 'false' : tables.isOneOf(source, 'mapped', by, keys)}`;
  }
  return `${rows} join ${tables.table(through.source, 'term')} on term.id = ${tables.column(source, 'mapped', through.column)}
    where ${tables.isOneOf(through.source, 'term', by, keys)}`;
}
