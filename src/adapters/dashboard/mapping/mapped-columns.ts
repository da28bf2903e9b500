import {
  BLOG_COUNTS,
  BLOG_TEXTS,
  columnOf,
  mappedColumnOf,
  recordOf,
} from '../../../domain/model/blog-fields.js';
import type { SourceName } from './dashboard-mapping.js';

/** What a column of a select has to hold. The type of an id is the dashboard's choice. */
export type ColumnKind = 'id' | 'text' | 'status' | 'number' | 'time';

export interface MappedColumn {
  readonly kind: ColumnKind;
  /** The value if the select lacks the column; undefined: the column is required. */
  readonly fallback?: string | number | null;
  /** The meaning of null in a column that the select has. Default: the fallback. */
  readonly ifNull?: string;
}

const ID: MappedColumn = { kind: 'id' };
const TEXT: MappedColumn = { kind: 'text' };
const TIME: MappedColumn = { kind: 'time' };
const TEXT_OR_NULL: MappedColumn = { kind: 'text', fallback: null };
const NUMBER: MappedColumn = { kind: 'number', fallback: 0 };

/** The columns of each select. Those that decide who may read are always required. */
export const MAPPED_COLUMNS: Readonly<Record<SourceName, Readonly<Record<string, MappedColumn>>>> = {
  organizations: { id: ID },
  websites: { id: ID, organization_id: ID },
  blogs: {
    id: ID,
    website_id: ID,
    title: TEXT,
    slug: TEXT,
    ...recordOf(BLOG_TEXTS.map(columnOf), () => TEXT_OR_NULL),
    content_html: { kind: 'text', ifNull: '' },
    ...recordOf(BLOG_COUNTS.map(columnOf), () => NUMBER),
    status: { kind: 'status' },
    published_at: TIME,
  },
  categories: {
    id: ID,
    website_id: ID,
    parent_id: { kind: 'id', fallback: null },
    name: TEXT,
    slug: TEXT,
    description: { kind: 'text', fallback: '' },
    sort_order: NUMBER,
  },
  tags: { id: ID, website_id: ID, name: TEXT, slug: TEXT, color: { kind: 'text', fallback: '#888888' } },
  blog_categories: { blog_id: ID, category_id: ID },
  blog_tags: { blog_id: ID, tag_id: ID },
  api_keys: { id: ID, organization_id: ID, key_hash: TEXT, expires_at: TIME, revoked_at: TIME },
};

/** The source whose ids a column holds, and is compared with. */
export const REFERRED: Readonly<Record<string, SourceName>> = {
  website_id: 'websites',
  parent_id: 'categories',
  blog_id: 'blogs',
  category_id: 'categories',
  tag_id: 'tags',
};

/** A column of a select, with its type in the words of its engine. */
export interface TypedColumn {
  readonly type: string;
  readonly fits: Readonly<Record<ColumnKind, boolean>>;
  /** Ids of one family can be compared by an index. Null: its type is no id's. */
  readonly idFamily: string | null;
  /** It is a time without a zone. */
  readonly isLocalTime: boolean;
  /** An expression of the expected type. */
  readonly conversions: Readonly<Record<Exclude<ColumnKind, 'status'>, string>>;
}

/** The columns of a select, by their names. */
export type TypedColumns = Readonly<Record<string, TypedColumn | undefined>>;

const EXPECTED: Readonly<Record<ColumnKind, string>> = {
  id: 'text, a UUID or a whole number',
  text: 'text',
  status: "text that is 'published' if the blog is shown",
  number: 'a whole number',
  time: 'a time with a zone',
};

/** Columns that a select lacks, and columns of the wrong type. */
export function columnProblems(
  source: SourceName,
  columns: TypedColumns,
  timeZone: string | null,
): readonly string[] {
  return Object.entries(MAPPED_COLUMNS[source]).flatMap(([column, { kind, fallback }]) => {
    const typed = columns[column];
    if (typed === undefined) {
      return fallback === undefined
        ? [`${source}: there is no column ${column}; add \`… as ${column}\` to the select`]
        : [];
    }
    const isInZone = kind === 'time' && typed.isLocalTime;
    if (typed.fits[kind] || (isInZone && timeZone !== null)) return [];
    const has = `${source}: the column ${column} has the type ${typed.type}`;
    if (isInZone) return [`${has}, which has no time zone: set time_zone`];
    const conversion =
      kind === 'status' ? `case when … then 'published' else 'draft' end` : typed.conversions[kind];
    return [`${has}; expected ${EXPECTED[kind]}: write \`${conversion} as ${column}\``];
  });
}

const NULLABLE: readonly string[] = [
  ...BLOG_TEXTS,
  'publishedAt',
  'expiresAt',
  'revokedAt',
  'parentId',
  'parentOrganizationId',
];

/** A required column in which a row is null: tables of others may lack the constraint. */
export function missingValue(row: Readonly<Record<string, unknown>>): string | null {
  const field = Object.keys(row).find((name) => row[name] === null && !NULLABLE.includes(name));
  return field === undefined ? null : mappedColumnOf(field);
}
