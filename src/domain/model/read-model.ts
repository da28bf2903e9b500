import type { ApiKey } from './api-key.js';
import type { BlogDetail } from './blog.js';
import type { Category } from './category.js';
import type { RaisedGeneration } from './raised-generation.js';
import type { RefusedRow } from './refused-row.js';
import type { JobUpdate } from './sync-work.js';
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

/** Keys of one kind and the rows that they shall have: a key in `ids` without a row is gone, or refused. */
export interface ReadModelSlice<Kind extends RowKind = RowKind> {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly rows: readonly RowTypes[Kind][];
  /** Rows that cannot be shown as they are, and why: quarantined until they can. */
  readonly refused: readonly RefusedRow[];
}

/** What one transaction does to the read model. */
export interface ReadModelUpdate {
  readonly slices: readonly AnySlice[];
  readonly work: readonly JobUpdate[];
  /**
   * Of websites that changed: what others than their owners have of them is not shown from now on, though it is still to be moved, nor are
   * their terms in other rows, until the work is done that rewrites these.
   */
  readonly owners?: readonly WebsiteOwner[];
  readonly recount?: Recount;
  /** Organizations whose generation is raised, changed or not. */
  readonly raise?: readonly string[];
}

/** Totals that are counted anew, of one organization after the other, up to the first that takes more than a stretch; what was counted of it is remembered. */
export interface Recount {
  readonly organizations: readonly RecountedOrganization[];
  /** A stretch has about so many blogs. */
  readonly most: number;
}

export interface RecountedOrganization {
  readonly organizationId: string;
  /** The generation that others see. Where the read tables have a lower one, they lost what came between, and it is raised above that in the end. */
  readonly shownGeneration: number;
  /** Beside the other work, once all are counted of this one, and of none after it. */
  readonly whenOver: JobUpdate;
}

export interface RepairedTotals {
  readonly organizationId: string;
  /** How many were wrong. */
  readonly totals: number;
}

export interface WebsiteOwner {
  readonly websiteId: string;
  /** Null: the website is gone. */
  readonly organizationId: string | null;
}

/** Who has, or had until now, rows of a website. */
export interface WebsiteHolder {
  readonly websiteId: string;
  readonly organizationId: string;
}

/** A slice of a kind that only its `kind` tells. */
export type AnySlice = { readonly [Kind in RowKind]: ReadModelSlice<Kind> }[RowKind];

/** What an update came to. */
export interface ReadModelChange {
  readonly changedRows: number;
  /** Of each organization that had wrong ones, of those that were counted anew. */
  readonly repairedTotals?: readonly RepairedTotals[];
  /** Of each organization in which anything changed. */
  readonly raised: readonly RaisedGeneration[];
}
