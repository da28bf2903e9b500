import type { CapturedKind, CapturedTable, SourceName } from './dashboard-mapping.js';

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

/** Prints warnings about slow selects. Throws if there are errors, one per line, before anything is created. */
export function requireValidMapping(
  { errors, warnings }: MappingFindings,
  print: (text: string) => void,
): void {
  for (const warning of warnings) print(`Mapping: ${warning}.`);
  if (errors.length === 0) return;
  throw new Error(
    `The mapping (DASHBOARD_MAPPING) does not fit the dashboard's database (WRITE_DATABASE_URL), so nothing was created in it:\n${errors
      .map((error) => `  ${error}`)
      .join('\n')}`,
  );
}

/**
 * The kinds of which a table has to touch at least one; otherwise its changes are not noticed where a select reads it. Rows that show a
 * website, a category or a tag are found by their ids. Organizations are shown nowhere.
 */
const CAPTURED_BY: Readonly<Record<SourceName, readonly CapturedKind[]>> = {
  organizations: [],
  websites: ['websites'],
  blogs: ['blogs', 'websites'],
  categories: ['categories', 'websites'],
  tags: ['tags', 'websites'],
  blog_categories: ['blogs', 'categories', 'websites'],
  blog_tags: ['blogs', 'tags', 'websites'],
  api_keys: ['api_keys'],
};

/**
 * What a select reads and the capture of a table does not cover; null: nothing. A table that touches nothing is declared never to change.
 */
export function uncapturedChanges(
  source: SourceName,
  { touches }: CapturedTable,
  shownTable: string,
): string | null {
  const kinds = CAPTURED_BY[source];
  const [missing] = kinds;
  if (missing === undefined || touches === 'everything') return null;
  const touched = Object.keys(touches);
  if (touched.length === 0 || kinds.some((kind) => touched.includes(kind))) return null;
  return (
    `${source}: the select reads ${shownTable}, whose capture lists only ${touched.join(' and ')}, so its changes do not update ${source}; ` +
    `add ${missing} with the key of the affected rows, unless the columns that the select reads never change`
  );
}
