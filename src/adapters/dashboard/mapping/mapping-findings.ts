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
  otherType: (source: string, column: string, type: string, referred: SourceName, idType: string) =>
    `${source}: the column ${column} has the type ${type}, but the ids of ${referred} have the type ${idType}; convert one of them`,
  keyFails: (table: string, kind: string, reason: string) =>
    `captures.${table}.${kind}: the key fails: ${reason}`,
  noSuchTable: (table: string) =>
    `captures.${table}: there is no such table; correct its name, and quote capital letters`,
  noTable: (table: string) =>
    `captures.${table}: it is a view or something else whose changes cannot be captured; list the tables that it reads instead`,
  uncapturedTable: (source: SourceName, table: string) =>
    `${source}: the select reads ${table}, which is not under captures; add it with the keys of the rows that it affects, or with {} if it never changes`,
  notOneRow: (source: SourceName, id: string, rows: number) =>
    `${source}: rows with the id ${id}: ${rows}; return one row for each id, and none without an id`,
  changesByItself: (source: SourceName, what: string) =>
    `${source}: the select uses ${what}, whose value changes without a change of a table, so the worker would not notice when a row comes or goes; have the dashboard, or a job that runs regularly, set a status when the time comes, and map that status`,
  nullInPublished: (column: string, rows: number, published: number) =>
    `blogs: ${column} is null in ${rows} of ${published} published rows, which are ${
      column === 'content_html'
        ? 'shown without a text: map the column that has the rendered HTML'
        : 'not shown: correct them, or map a value'
    }`,
  lossyText: (source: SourceName, column: string, rows: number) =>
    `${source}: ${column} has bytes that are not UTF-8 in ${rows} ${rows === 1 ? 'row' : 'rows'}, which are shown as ?; name their character set first: \`convert(convert(… using latin1) using utf8mb4) as ${column}\``,
  noHash: (rows: number) =>
    `api_keys: key_hash is not 64 lower-case hex digits in ${rows} ${rows === 1 ? 'row' : 'rows'}, so requests with these keys get a 401; to convert bytes, write \`encode(…, 'hex') as key_hash\`, or lower(hex(…)) on MariaDB`,
} as const;

/** Prints the warnings. Throws all errors before anything is created. */
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
 * The kinds of which a table has to touch one: else its changes are not noticed where it is read.
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

/** What a select reads and the capture does not cover; null: nothing, or it never changes. */
export function uncapturedChanges(source: SourceName, { table, touches }: CapturedTable): string | null {
  const kinds = CAPTURED_BY[source];
  const [missing] = kinds;
  if (missing === undefined || touches === 'everything') return null;
  const touched = Object.keys(touches);
  if (touched.length === 0 || kinds.some((kind) => touched.includes(kind))) return null;
  return (
    `${source}: the select reads ${table}, whose capture lists only ${touched.join(' and ')}, so its changes do not update ${source}; ` +
    `add ${missing} with the key of the affected rows, unless the columns that the select reads never change`
  );
}
