import { DomainError } from '../errors.js';
import type { BlogDetail } from '../model/blog.js';
import type { Snapshot } from '../model/snapshot.js';
import type { BlogReader } from '../ports/reading/blog-reader.js';

export interface GetBlogById {
  readonly organizationId: string;
  readonly id: string;
  readonly snapshot: Snapshot;
}

export class GetBlogByIdHandler {
  constructor(private readonly blogs: BlogReader) {}

  async handle(query: GetBlogById): Promise<BlogDetail> {
    const blog = await this.blogs.findById(query.organizationId, query.id, query.snapshot);
    if (blog === null) throw new DomainError('blog-not-found');
    return blog;
  }
}
