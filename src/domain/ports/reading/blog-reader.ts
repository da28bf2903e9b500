import type { Blog, BlogDetail } from '../../model/blog.js';
import type { Snapshot } from '../../model/snapshot.js';

/** All conditions that a blog must match. Null: no such condition. */
export interface BlogCriteria {
  readonly websiteId: string | null;
  readonly categorySlug: string | null;
  readonly tagSlug: string | null;
  /** Part of the title. Both are folded before they are compared. */
  readonly foldedTitlePart: string | null;
}

export interface BlogCut {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Published blogs of one organization only, whatever ids are given. An adapter that may read an
 * older state looks for one at `snapshot.since` or later. If there is none, it returns what it has
 * and reports its generation to the snapshot.
 */
export interface BlogReader {
  /**
   * Newest first, then by id descending (code points). `total` counts all matches, also if `offset`
   * is past the end.
   */
  list(
    organizationId: string,
    criteria: BlogCriteria,
    cut: BlogCut,
    snapshot: Snapshot,
  ): Promise<{ total: number; blogs: readonly Blog[] }>;
  /** Null if there is none. */
  findById(organizationId: string, id: string, snapshot: Snapshot): Promise<BlogDetail | null>;
  /** Null if there is none. */
  findBySlug(
    organizationId: string,
    websiteId: string,
    slug: string,
    snapshot: Snapshot,
  ): Promise<BlogDetail | null>;
}
