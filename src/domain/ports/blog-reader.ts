import type { Blog, BlogDetail } from '../model/blog.js';
import type { BlogCriteria } from '../model/blog-criteria.js';
import type { Snapshot } from '../model/snapshot.js';

export interface BlogCut {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Published blogs of one organization: those of another are never found, whatever ids are given. An adapter that may read a state which is
 * older than the organization's generation, as from a replica, looks for one that is not older than `snapshot.since`. Where there is none, it
 * answers with what there is, and tells the snapshot.
 */
export interface BlogReader {
  /**
   * The blogs that match, newest first, then by id descending (code points), from `offset` on; `total` counts all that
   * match, also where the cut lies past the end.
   */
  list(
    organizationId: string,
    criteria: BlogCriteria,
    cut: BlogCut,
    snapshot?: Snapshot,
  ): Promise<{ total: number; blogs: readonly Blog[] }>;
  /** Null when there is none. */
  findById(organizationId: string, id: string, snapshot?: Snapshot): Promise<BlogDetail | null>;
  /** Null when there is none. */
  findBySlug(
    organizationId: string,
    websiteId: string,
    slug: string,
    snapshot?: Snapshot,
  ): Promise<BlogDetail | null>;
}
