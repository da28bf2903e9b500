import type { ApiKey } from './api-key.js';
import type { BlogDetail } from './blog.js';
import type { Category, Tag, Term } from './term.js';

/** Only a blog with this status is shown, whatever its date. */
export const SHOWN_STATUS = 'published';

/** Rows of the dashboard's database, each with what its projection needs from related tables. */
export interface SourceTerm extends Term {
  readonly organizationId: string;
}

export interface SourceBlog extends Omit<BlogDetail, 'publishedAt' | 'categories' | 'tags'> {
  readonly organizationId: string;
  readonly status: string;
  /** Milliseconds since 1970, truncated. */
  readonly publishedAt: number | null;
  readonly categories: readonly (SourceTerm & { readonly sortOrder: number })[];
  readonly tags: readonly SourceTerm[];
}

export interface SourceCategory extends Category {
  readonly organizationId: string;
  readonly parentOrganizationId: string | null;
}

export interface SourceTag extends Tag {
  readonly organizationId: string;
}

export interface SourceTypes {
  readonly apiKeys: ApiKey;
  readonly categories: SourceCategory;
  readonly tags: SourceTag;
  readonly blogs: SourceBlog;
}

/** A row that cannot be shown as it is, and the reason. */
export interface RefusedRow {
  readonly id: string;
  readonly reason: string;
}

/** The rows of as many of the requested keys as fit into one read. */
export interface SourceReading<Kind extends keyof SourceTypes> {
  /** The first of the requested keys, at least one; a deleted key has no row. */
  readonly ids: readonly string[];
  /** In any order. An unpublished blog is not read and has no row. */
  readonly rows: readonly SourceTypes[Kind][];
  /** Rows that are too large or lack a value. */
  readonly refused: readonly RefusedRow[];
}
