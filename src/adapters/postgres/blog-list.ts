import type { Knex } from 'knex';

/** As SQL: what is evaluated once or not at all, how many blogs a list has, and which are on the page that was asked for. */
export interface BlogList {
  readonly parts: readonly (readonly [name: string, query: Knex.QueryBuilder | Knex.Raw])[];
  readonly total: Knex.Raw;
  readonly ids: Knex.QueryBuilder | Knex.Raw;
}

export const NEWEST_FIRST = [
  { column: 'published_at', order: 'desc' },
  { column: 'id', order: 'desc' },
];
