import type { Knex } from 'knex';

/** A list as SQL: parts that are evaluated at most once, the number of blogs, and the ids of the requested page. */
export interface BlogList {
  readonly parts: readonly (readonly [name: string, query: Knex.QueryBuilder | Knex.Raw])[];
  readonly total: Knex.Raw;
  readonly ids: Knex.QueryBuilder | Knex.Raw;
}

export const NEWEST_FIRST = [
  { column: 'published_at', order: 'desc' },
  { column: 'id', order: 'desc' },
];
