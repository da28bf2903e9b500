import { BLOG_COUNTS, BLOG_TEXTS, columnOf, recordOf } from '../../../domain/model/blog-fields.js';
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

/** The columns that each select may have. Columns that decide who may read are always required, so that they cannot be forgotten. */
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
