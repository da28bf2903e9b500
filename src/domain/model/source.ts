import type { ApiKey } from './api-key.js';
import type { BlogFields } from './blog-fields.js';
import type { RefusedRow } from './refused-row.js';

/** Rows of the dashboard's database, each with what its projection needs from the tables around it. */
export interface SourceTerm {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly slug: string;
}

export interface SourceBlog extends BlogFields {
  readonly id: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly title: string;
  readonly slug: string;
  readonly contentHtml: string;
  readonly status: string;
  /** Milliseconds since 1970, finer digits cut. */
  readonly publishedAt: number | null;
  readonly categories: readonly (SourceTerm & { readonly sortOrder: number })[];
  readonly tags: readonly SourceTerm[];
}

export interface SourceCategory {
  readonly id: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly parentId: string | null;
  readonly parentOrganizationId: string | null;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly sortOrder: number;
}

export interface SourceTag {
  readonly id: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}

export interface SourceTypes {
  readonly apiKeys: ApiKey;
  readonly categories: SourceCategory;
  readonly tags: SourceTag;
  readonly blogs: SourceBlog;
}

/** Rows that were read, of as many of the keys that were asked for as one reading holds. */
export interface SourceReading<Kind extends keyof SourceTypes> {
  /** The first keys, at least one; a key that is gone has no row. */
  readonly ids: readonly string[];
  /** In any order. Of what is not published, nothing is read: it has no row. */
  readonly rows: readonly SourceTypes[Kind][];
  /** Rows that are too large to be shown and were not read for that, or that cannot be read. */
  readonly refused: readonly RefusedRow[];
}
