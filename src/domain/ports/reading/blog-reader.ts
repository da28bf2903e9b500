import type { Blog, BlogDetail } from '../../model/blog.js';

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

/** Published blogs of one organization only, whatever ids are given, as they are now. */
export interface BlogReader {
  /**
   * Newest first, then by id descending (code points). `total` counts all matches, also if `offset`
   * is past the end, in the same state of the storage.
   */
  list(
    organizationId: string,
    criteria: BlogCriteria,
    cut: BlogCut,
  ): Promise<{ total: number; blogs: readonly Blog[] }>;
  /** Null if there is none. */
  findById(organizationId: string, id: string): Promise<BlogDetail | null>;
  /** Null if there is none. */
  findBySlug(organizationId: string, websiteId: string, slug: string): Promise<BlogDetail | null>;
}
