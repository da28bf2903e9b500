import { type Dependents, dependentsIn } from '../../source/keys-in-scope.js';
import { SOURCE_OF, type Walk } from '../../source/source-dialect.js';
import { type MappedTables, writtenIn } from './mapped-tables.js';
import type { Values } from './query-rows.js';

/**
 * A query for the next ids of a kind in a scope; null: there are none. Each part returns its own
 * next ids, so that no step reads all.
 */
export function nextKeysIn(walk: Walk, tables: MappedTables, values: Values): string | null {
  const { limit } = walk;
  const parts = partsOf(walk, tables, values);
  if (parts.length === 0) return null;
  const idType = tables.idType[SOURCE_OF[walk.kind]];
  // An id that the column cannot hold belongs to another mapping: the walk restarts.
  const [after = null] = walk.after === null ? [] : writtenIn(idType, [walk.after]);
  const next = parts.map(({ id, from }) => {
    const follows = after === null ? `${id} is not null` : `${id} > ${values.add(after)}::${idType}`;
    return `(select distinct ${id} as id from ${from} and ${follows} order by 1 limit ${limit})`;
  });
  return `select id, id::text as key from (${next.join(' union ')}) as present order by id limit ${limit}`;
}

function partsOf({ scope, kind }: Walk, tables: MappedTables, values: Values) {
  const dependents = dependentsIn(scope, kind);
  if (dependents === null || !('keys' in scope)) {
    return [{ id: 'mapped.id', from: `${tables.table(SOURCE_OF[kind], 'mapped')} where true` }];
  }
  if (dependents.length === 0) return [];
  const type = tables.idType[scope.of];
  const keys = `any(${values.add(writtenIn(type, scope.keys))}::${type}[])`;
  return dependents.map((part) => ({ id: `mapped.${part.id}`, from: fromOf(part, tables, keys) }));
}

function fromOf({ source, by, through }: Dependents, tables: MappedTables, keys: string): string {
  const rows = tables.table(source, 'mapped');
  if (through === undefined) return `${rows} where mapped.${by} = ${keys}`;
  const between = tables.table(through.source, 'term');
  if (through.source !== source) {
    return `${rows} join ${between} on term.id = mapped.${through.column} where term.${by} = ${keys}`;
  }
  // Separate: PostgreSQL orders at most eight tables, and a category may need five.
  return `${rows} where mapped.${through.column} = any(array(select term.id from ${between} where term.${by} = ${keys}))`;
}
