import type { ApiKey } from './api-key.js';
import type { BlogDetail } from './blog.js';
import type { JobUpdate } from './job.js';
import type { RefusedRow } from './source.js';
import type { Category, Tag } from './term.js';

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

/** A row that cannot be shown as it is in the dashboard. */
export interface UnshownRow extends RefusedRow {
  /** The reason without its values: rows with the same cause can be corrected together. */
  readonly cause: string;
  /** The number of failed attempts. */
  readonly attempts: number;
  /** The row is not due before this time has passed. */
  readonly retryAfterMs: number;
}

/** An unshown row that is tried again. */
export interface DueRow {
  readonly kind: RowKind;
  readonly id: string;
  readonly attempts: number;
}

interface SliceOf<Kind extends RowKind> {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly rows: readonly RowTypes[Kind][];
  /** One that is not among `ids` stays as it is in the read model. */
  readonly unshown: readonly UnshownRow[];
}

/** Keys and the rows they must have; a key without a row is deleted. */
export type ReadModelSlice<Kinds extends RowKind = RowKind> = {
  readonly [Kind in Kinds]: SliceOf<Kind>;
}[Kinds];

/** What one transaction changes in the read model. */
export interface ReadModelUpdate {
  readonly slices: readonly ReadModelSlice[];
  readonly jobs: readonly JobUpdate[];
  /**
   * Websites that changed: former owners lose them at once, and rows are moved later. Their terms
   * in other rows are hidden until a job has rewritten those rows.
   */
  readonly owners?: readonly WebsiteOwner[];
  /** Organizations whose totals are compared with their lists. */
  readonly recount?: readonly string[];
  /** Whether the generations of all organizations are raised, even if nothing changed. */
  readonly raisesAll?: boolean;
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
