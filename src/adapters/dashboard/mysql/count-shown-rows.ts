import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import type { MappedTables } from './mapped-tables.js';
import { queryRow } from './query-rows.js';

export async function countShownRows(
  database: Knex,
  tables: MappedTables,
): Promise<Readonly<Record<RowKind, number>>> {
  const counted = await queryRow<Record<RowKind, string>>(
    database,
    `select (select count(*) from ${tables.table('api_keys', 'mapped')}) as apiKeys,
      (select count(*) from ${tables.table('categories', 'mapped')}) as categories,
      (select count(*) from ${tables.table('tags', 'mapped')}) as tags,
      (select count(*) from ${tables.table('blogs', 'mapped')} where status = '${SHOWN_STATUS}') as blogs`,
  );
  return {
    apiKeys: Number(counted.apiKeys),
    categories: Number(counted.categories),
    tags: Number(counted.tags),
    blogs: Number(counted.blogs),
  };
}
