import type { Knex } from 'knex';
import { type DashboardMapping, SOURCES } from '../../mapping/dashboard-mapping.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../../mapping/mapping-findings.js';
import { type CapturedMapping, capturedRelations } from '../capture/captured-tables.js';
import { inlined } from '../read/described-select.js';
import { shownTable, type TableName } from '../read/quoted.js';
import { checkReach } from './check-reach.js';
import { hasLimit, planOf } from './check-walks.js';

/** Tables that a select reads, directly or through a view, whose changes are not captured, or not for the content of that select. */
export async function checkReads(
  database: Knex,
  { selects, captures }: DashboardMapping,
  captured: CapturedMapping,
): Promise<MappingFindings> {
  const relations = await capturedRelations(database, captured);
  const known = new Map(relations.map((each) => [each.relation, captures[each.captured]]));
  const errors: string[] = [];
  const warnings = new Set<string>();
  for (const source of SOURCES) {
    const select = selects[source];
    if (select === null) continue;
    const read = new Set<string>();
    const nodes = await planOf(database, `select * from ${inlined(select)} as mapped`);
    if (hasLimit(nodes)) {
      warnings.add(
        `${source}: the select has a limit or an offset: a change of one row can also move other rows into or out of the result, which is not noticed; remove it, unless it never excludes a row`,
      );
    }
    for (const { Schema: schema, 'Relation Name': name } of nodes) {
      if (schema === undefined || name === undefined || schema === 'pg_catalog') continue;
      const table = shownTable({ schema, name });
      const capture = known.get(table);
      const uncaptured = capture === undefined ? null : uncapturedChanges(source, capture, capture.table);
      if (capture === undefined) read.add(table);
      if (uncaptured !== null) warnings.add(uncaptured);
    }
    const captureOf = (table: TableName) => {
      const capture = known.get(shownTable(table));
      return capture === undefined || uncapturedChanges(source, capture, capture.table) !== null
        ? null
        : capture;
    };
    for (const warning of await checkReach(database, source, nodes, captureOf)) warnings.add(warning);
    for (const table of read) {
      errors.push(FINDINGS.uncapturedTable(source, table));
    }
  }
  return { errors, warnings: [...warnings] };
}
