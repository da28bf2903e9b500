import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import type { SourceDialect } from './source-dialect.js';
import { SOURCE_OF, type SourceTables } from './source-tables.js';

/** How many rows the API shows once all changes are applied, including those that are quarantined. */
export async function countShownRows<Tables extends SourceTables>(
  database: Knex,
  dialect: SourceDialect<Tables>,
): Promise<Readonly<Record<RowKind, number>>> {
  const tables = await dialect.tables(database, 'all');
  const kinds = Object.keys(SOURCE_OF) as RowKind[];
  const counts = kinds.map((kind) => {
    const isShown = kind === 'blogs' ? `where mapped.status = '${SHOWN_STATUS}'` : '';
    return `(select count(*) from ${tables.table(SOURCE_OF[kind], 'mapped')} ${isShown}) as ${tables.name(kind)}`;
  });
  const [counted = {}] = await dialect.query(database, `select ${counts.join(', ')}`);
  return Object.fromEntries(kinds.map((kind) => [kind, Number(counted[kind])])) as Record<RowKind, number>;
}
