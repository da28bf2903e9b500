import type { ApiKey } from './api-key.js';
import type { BlogDetail } from './blog.js';
import type { Category } from './category.js';
import type { JobUpdate } from './job.js';
import type { RefusedRow } from './source.js';
import type { Tag } from './tag.js';

/** The rows of the read model: what the API shows, plus what it needs to find it. */
export interface BlogRow extends BlogDetail {
  readonly organizationId: string;
  readonly foldedTitle: string;
}

export interface CategoryRow extends Category {
  readonly organizationId: string;
}

export interface TagRow extends Tag {
  readonly organizationId: string;
}

export interface RowTypes {
  readonly apiKeys: ApiKey;
  readonly categories: CategoryRow;
  readonly tags: TagRow;
  readonly blogs: BlogRow;
}

export type RowKind = keyof RowTypes;

/** Keys of one kind and the rows that they must have. A key in `ids` without a row is deleted or refused. */
export interface ReadModelSlice<Kind extends RowKind = RowKind> {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly rows: readonly RowTypes[Kind][];
  /** Rows that cannot be shown as they are, with the reason. They are quarantined until they can be shown. */
  readonly refused: readonly RefusedRow[];
}

/** What one transaction changes in the read model. */
export interface ReadModelUpdate {
  readonly slices: readonly AnySlice[];
  readonly work: readonly JobUpdate[];
  /**
   * Websites that changed. What organizations other than the owner have of them is hidden immediately, although the rows are moved later.
   * Their terms in other rows are hidden as well, until the job that rewrites those rows is done.
   */
  readonly owners?: readonly WebsiteOwner[];
  readonly recount?: Recount;
  /** Organizations whose generation is raised even if nothing changed. */
  readonly raise?: readonly string[];
}

/** Totals to recount, one organization after another, up to the first one that has more than a stretch. Its partial counts are stored. */
export interface Recount {
  readonly organizations: readonly RecountedOrganization[];
  /** The approximate number of blogs in a stretch. */
  readonly stretchSize: number;
}

export interface RecountedOrganization {
  readonly organizationId: string;
  /**
   * The published generation. If the read tables have a lower one, they lost the changes in between, and their generation is raised above
   * it at the end.
   */
  readonly shownGeneration: number;
  /** Applied in addition to the other work if this is the last organization whose totals were all counted. */
  readonly whenCounted: JobUpdate;
}

export interface RepairedTotals {
  readonly organizationId: string;
  /** How many were wrong. */
  readonly totals: number;
}

export interface WebsiteOwner {
  readonly websiteId: string;
  /** Null: the website was deleted. */
  readonly organizationId: string | null;
}

/** An organization that has rows of a website, or had some until now. */
export interface WebsiteHolder {
  readonly websiteId: string;
  readonly organizationId: string;
}

/** A slice whose kind is known only from its `kind`. */
export type AnySlice = { readonly [Kind in RowKind]: ReadModelSlice<Kind> }[RowKind];

export interface RaisedGeneration {
  readonly organizationId: string;
  readonly generation: number;
}

/** The result of an update. */
export interface ReadModelChange {
  readonly changedRows: number;
  /** One for each recounted organization that had wrong totals. */
  readonly repairedTotals?: readonly RepairedTotals[];
  /** One for each organization in which anything changed. */
  readonly raised: readonly RaisedGeneration[];
}
