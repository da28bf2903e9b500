import { createHash } from 'node:crypto';

/** What a mapping locates: rows of the dashboard, and the links between them. */
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

/** The kinds of rows that a changed row can be or affect. */
export const CAPTURED_KINDS = [
  'organizations',
  'websites',
  'blogs',
  'categories',
  'tags',
  'api_keys',
] as const;
export type CapturedKind = (typeof CAPTURED_KINDS)[number];

/** Where a dashboard's tables hold which content: the parsed DASHBOARD_MAPPING. */
export interface DashboardMapping {
  /** The zone of times without a zone; null: such a column is refused. */
  readonly timeZone: string | null;
  /** A select for each source; null: the dashboard has none. */
  readonly selects: Readonly<Record<SourceName, string | null>>;
  /** This project creates the table of keys, and the engine has the select of `api_keys`. */
  readonly hasManagedKeys: boolean;
  readonly captures: readonly CapturedTable[];
}

/** A table that the selects read, and the effects of a change of one of its rows. */
export interface CapturedTable {
  /** The name of the table as the mapping writes it. */
  readonly table: string;
  /**
   * The key of each kind that its rows touch, as an expression or a select. Empty: it never
   * changes.
   */
  readonly touches: 'everything' | Readonly<Partial<Record<CapturedKind, string>>>;
}

/** The keys of the kinds that a row touches; none if it touches everything. */
export function keysOf(touches: CapturedTable['touches']) {
  return touches === 'everything' ? [] : (Object.entries(touches) as [CapturedKind, string][]);
}

/** What the rows of each captured table touch. */
export type Captures = Readonly<Record<string, CapturedTable['touches']>>;

export function capturesOf({ captures }: DashboardMapping): Captures {
  return Object.fromEntries(captures.map(({ table, touches }) => [table, touches]));
}

/** The selects that a mapping has. */
export function presentSelects({ selects }: DashboardMapping) {
  return SOURCES.flatMap((name) => {
    const select = selects[name];
    return select === null ? [] : [{ name, select }];
  });
}

/** A select for use inside another statement. */
export function inlined(select: string): string {
  // A comment at its end must not swallow what follows.
  return `(\n${select}\n)`;
}

/** Whether a key is looked up instead of being an expression over the row itself. */
export function isSelect(key: string): boolean {
  return /^\s*(select|with)\b/i.test(key);
}

/** Adds the table of keys as a captured table if the mapping leaves the keys to this project. */
export function withManagedKeys(mapping: DashboardMapping, table: string): DashboardMapping {
  if (!mapping.hasManagedKeys) return mapping;
  const api_keys = `select id, organization_id, key_hash, expires_at, revoked_at from ${table}`;
  return {
    ...mapping,
    selects: { ...mapping.selects, api_keys },
    captures: [...mapping.captures, { table, touches: { api_keys: 'id' } }],
  };
}

/** The zone of times without a zone. Those of managed keys are written in UTC. */
export function zoneOf({ timeZone, hasManagedKeys }: DashboardMapping, source: SourceName): string | null {
  return source === 'api_keys' && hasManagedKeys ? 'UTC' : timeZone;
}

/** Raised when `migrate` installs something else for the same mapping: a test notices. */
export const CAPTURE_VERSION = 1;

/** Different for each version and mapping: an installed capture names both. */
export function digestOf(mapping: DashboardMapping): string {
  return `${CAPTURE_VERSION}-${shortHash(JSON.stringify(mapping))}`;
}

/** Whether a digest is of a later version. */
export function isNewerDigest(digest: string): boolean {
  const [, version] = /^(\d+)-[0-9a-f]+$/.exec(digest) ?? [];
  return Number(version ?? 0) > CAPTURE_VERSION;
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
