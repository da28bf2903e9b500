import type { Knex } from 'knex';
import {
  type DashboardMapping,
  presentSelects,
  SOURCES,
  type SourceName,
} from '../../mapping/dashboard-mapping.js';
import { FINDINGS, type MappingFindings } from '../../mapping/mapping-findings.js';
import { checkIds, checkValues } from '../../source/check-mapping.js';
import { TableLocked } from '../../source/table-locked.js';
import { LOCK_NOT_AVAILABLE } from '../capture/capture.js';
import { capturedMapping } from '../capture/captured-tables.js';
import { type Described, type DescribedColumn, describedSelect } from '../read/described-select.js';
import { mappedTables } from '../read/mapped-tables.js';
import { rolledBack, runStatement } from '../read/query-rows.js';
import { checkCapture, checkOverlaps } from './check-captures.js';
import { checkClock } from './check-clock.js';
import { checkColumns } from './check-columns.js';
import { checkReads } from './check-reads.js';
import { checkLookups, checkWalks } from './check-walks.js';

/**
 * Tries every select and every key of a mapping before anything is created. Whatever depends on a part that is already wrong is not
 * checked.
 */
export async function checkMapping(database: Knex, mapping: DashboardMapping): Promise<MappingFindings> {
  const errors: string[] = await zoneProblems(database, mapping);
  const described: Partial<Record<SourceName, readonly DescribedColumn[]>> = {};
  for (const name of SOURCES) {
    const select = mapping.selects[name];
    if (select === null) continue;
    try {
      // One attempt for each, so that the others are described even if PostgreSQL rejects this one.
      described[name] = await rolledBack(database, (attempt) => describedSelect(attempt, select));
    } catch (error) {
      errors.push(FINDINGS.selectFails(name, messageOf(error)));
    }
  }
  const columns = checkColumns(mapping, described);
  errors.push(...columns.errors);
  for (const captured of mapping.captures)
    errors.push(...(await checkCapture(database, captured, described)));
  errors.push(...(await checkOverlaps(database, mapping)));
  if (errors.length > 0) return { errors, warnings: columns.warnings };
  const later = await checkRows(database, mapping, described);
  return { errors: later.errors, warnings: [...columns.warnings, ...later.warnings] };
}

/** Checks that need selects which PostgreSQL accepts. */
async function checkRows(
  database: Knex,
  mapping: DashboardMapping,
  described: Described,
): Promise<MappingFindings> {
  try {
    const reads = await checkReads(database, mapping, capturedMapping(mapping));
    const clock: string[] = [];
    for (const { name, select } of presentSelects(mapping))
      clock.push(...(await checkClock(database, name, select)));
    const query = (statement: string) => read(database, statement);
    const ids = await checkIds(mapping, (id) => `${id}::text`, query);
    return {
      errors: [...reads.errors, ...clock, ...ids],
      warnings: [
        ...reads.warnings,
        ...(await checkWalks(database, mappedTables(mapping, described))),
        ...(await checkLookups(database, mapping.captures)),
        ...(await checkValues(mapping, `key_hash !~ '^[0-9a-f]{64}$'`, query)),
      ],
    };
  } catch (error) {
    return { errors: [`PostgreSQL cannot run the selects: ${messageOf(error)}`], warnings: [] };
  }
}

async function read(database: Knex, statement: string) {
  const { rows } = await rolledBack(database, (attempt) => runStatement(attempt, statement));
  return rows;
}

async function zoneProblems(database: Knex, { timeZone }: DashboardMapping): Promise<string[]> {
  if (timeZone === null) return [];
  const { rows } = await database.raw('select from pg_timezone_names where name = ?', [timeZone]);
  return rows.length > 0 ? [] : [FINDINGS.unknownZone(timeZone)];
}

/** Errors that do not concern the mapping are rethrown. */
function messageOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) {
    if (error.code === LOCK_NOT_AVAILABLE) throw new TableLocked('a table that the mapping reads');
    const advice = adviceIn(error);
    return advice === '' ? error.message : `${error.message} (${advice})`;
  }
  throw error;
}

/** PostgreSQL often suggests the intended column, for example one with capital letters, which needs quotes. */
function adviceIn(error: Error): string {
  return 'hint' in error && typeof error.hint === 'string' ? error.hint : '';
}
