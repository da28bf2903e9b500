import type { Knex } from 'knex';
import { type DashboardMapping, SOURCES } from '../mapping/dashboard-mapping.js';
import type { CapturedMapping } from './captured-mapping.js';
import { capturedRelations } from './captured-relations.js';
import { inlined } from './described-select.js';
import { planOf } from './plans.js';
import { shownTable } from './table-name.js';

/** Tables that a select reads, itself or through a view, whose changes nobody would note. */
export async function checkReads(
  database: Knex,
  { selects }: DashboardMapping,
  captured: CapturedMapping,
): Promise<readonly string[]> {
  const known = new Set((await capturedRelations(database, captured)).map(({ relation }) => relation));
  const problems: string[] = [];
  for (const source of SOURCES) {
    const select = selects[source];
    if (select === null) continue;
    const read = new Set<string>();
    for (const { Schema: schema, 'Relation Name': name } of await planOf(
      database,
      `select * from ${inlined(select)} as mapped`,
    )) {
      if (schema === undefined || name === undefined || schema === 'pg_catalog') continue;
      const table = shownTable({ schema, name });
      if (!known.has(table)) read.add(table);
    }
    for (const table of read) {
      problems.push(
        `${source}: its select reads ${table}, which is not under captures; add it with the keys that its rows touch, or with {} if it never changes`,
      );
    }
  }
  return problems;
}
