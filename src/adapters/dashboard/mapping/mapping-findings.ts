import type { SourceName } from './dashboard-mapping.js';

/** The results of a check of a mapping, in terms of the mapping. */
export interface MappingFindings {
  /** If there are any, nothing is created. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** The words for a mistake, which are the same on each engine. */
export const FINDINGS = {
  selectFails: (source: SourceName, reason: string) => `${source}: the select fails: ${reason}`,
  keyFails: (table: string, kind: string, reason: string) =>
    `captures.${table}.${kind}: the key fails: ${reason}`,
  unknownZone: (zone: string) => `time_zone: there is no time zone ${zone}; use a name such as Europe/Paris`,
  noSuchTable: (table: string, advice: string) => `captures.${table}: there is no such table; ${advice}`,
  uncapturedTable: (source: SourceName, table: string) =>
    `${source}: the select reads ${table}, which is not under captures; add it with the keys of the rows that it affects, or with {} if it never changes`,
  idIsNull: (source: SourceName, rows: number) =>
    `${source}: the id is null in ${rows} ${rows === 1 ? 'row' : 'rows'}; exclude rows whose id is null`,
  severalRows: (source: SourceName, id: string, rows: number) =>
    `${source}: ${rows} rows have the id ${id}; return one row for each id`,
  walkScans: (source: SourceName, table: string) =>
    `${source}: each step of reading all rows by id scans all of ${table}; create an index on the id, or read ${table} in a subselect`,
} as const;
