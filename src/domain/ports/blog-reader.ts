import type { Blog, BlogDetail } from '../model/blog.js';
import type { BlogCriteria } from '../model/blog-criteria.js';

export interface BlogCut {
  readonly offset: number;
  readonly limit: number;
}

/** Published blogs of one organization: those of another are never found, whatever ids are given. */
export interface BlogReader {
  /**
   * The blogs that match, newest first, then by id descending (code points), from `offset` on; `total` counts all that
   * match, also where the cut lies past the end.
   */
  list(
    organizationId: string,
    criteria: BlogCriteria,
    cut: BlogCut,
  ): Promise<{ total: number; blogs: readonly Blog[] }>;
  /** Null when there is none. */
  findById(organizationId: string, id: string): Promise<BlogDetail | null>;
  /** Null when there is none. */
  findBySlug(organizationId: string, websiteId: string, slug: string): Promise<BlogDetail | null>;
}
