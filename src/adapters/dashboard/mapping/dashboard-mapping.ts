/** What a mapping says where to find: rows of the dashboard, and the links between them. */
export const SOURCES = [
  'organizations',
  'websites',
  'blogs',
  'categories',
  'tags',
  'blog_categories',
  'blog_tags',
  'api_keys',
] as const;
export type SourceName = (typeof SOURCES)[number];

/** Of what a changed row can be, or touch. */
export const CAPTURED_KINDS = [
  'organizations',
  'websites',
  'blogs',
  'categories',
  'tags',
  'api_keys',
] as const;
export type CapturedKind = (typeof CAPTURED_KINDS)[number];

/** Where a dashboard's own tables hold what: the file that DASHBOARD_MAPPING names, as it was read. */
export interface DashboardMapping {
  /** The zone of times that have none; null: such a column is refused. */
  readonly timeZone: string | null;
  /** A select for each of them; null: the dashboard has none. */
  readonly selects: Readonly<Record<SourceName, string | null>>;
  /** The keys are in a table that this project makes: the select of `api_keys` is the engine's own. */
  readonly hasManagedKeys: boolean;
  readonly captures: readonly CapturedTable[];
}

/** A table that the selects read, and what a change of one of its rows means. */
export interface CapturedTable {
  /** As the mapping writes it. */
  readonly table: string;
  /**
   * Of each kind that its rows touch, the key: an SQL expression over the row, or a select over `changed`. None: the table never changes.
   */
  readonly touches: 'everything' | Readonly<Partial<Record<CapturedKind, string>>>;
}

/** The selects that a mapping has. */
export function presentSelects({ selects }: DashboardMapping) {
  return SOURCES.flatMap((name) => {
    const select = selects[name];
    return select === null ? [] : [{ name, select }];
  });
}

/** Whether a key is looked up, as through a link table, and not an expression over the row itself. */
export function isSelect(key: string): boolean {
  return /^\s*(select|with)\b/i.test(key);
}
