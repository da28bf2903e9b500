import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import type { MappedShapes } from './mapped-shapes.js';
import { runStatement } from './run-statement.js';

/** How many rows the API shows once all changes are applied, including those that are quarantined. */
export async function countShownRows(
  database: Knex,
  { from: { api_keys, categories, tags, blogs } }: MappedShapes,
): Promise<Readonly<Record<RowKind, number>>> {
  const { rows } = await runStatement<Readonly<Record<RowKind, number>>>(
    database,
    `select (select count(*) from ${api_keys} as key)::float8 as "apiKeys",
      (select count(*) from ${categories} as category)::float8 as categories,
      (select count(*) from ${tags} as tag)::float8 as tags,
      (select count(*) from ${blogs} as blog where status = '${SHOWN_STATUS}')::float8 as blogs`,
  );
  const [counted = { apiKeys: 0, categories: 0, tags: 0, blogs: 0 }] = rows;
  return counted;
}
