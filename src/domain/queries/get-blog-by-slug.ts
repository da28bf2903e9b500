import { DomainError } from '../errors.js';
import type { BlogDetail } from '../model/blog.js';
import type { Snapshot } from '../model/snapshot.js';
import type { BlogReader } from '../ports/reading/blog-reader.js';

export interface GetBlogBySlug {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly slug: string;
  readonly snapshot: Snapshot;
}

export class GetBlogBySlugHandler {
  constructor(private readonly blogs: BlogReader) {}

  async handle(query: GetBlogBySlug): Promise<BlogDetail> {
    const blog = await this.blogs.findBySlug(
      query.organizationId,
      query.websiteId,
      query.slug,
      query.snapshot,
    );
    if (blog === null) throw new DomainError('blog-not-found');
    return blog;
  }
}
