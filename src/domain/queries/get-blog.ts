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

  async handle({ organizationId, id, snapshot }: GetBlogById): Promise<BlogDetail> {
    return requireBlog(await this.blogs.findById(organizationId, id, snapshot));
  }
}

export interface GetBlogBySlug {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly slug: string;
  readonly snapshot: Snapshot;
}

export class GetBlogBySlugHandler {
  constructor(private readonly blogs: BlogReader) {}

  async handle({ organizationId, websiteId, slug, snapshot }: GetBlogBySlug): Promise<BlogDetail> {
    return requireBlog(await this.blogs.findBySlug(organizationId, websiteId, slug, snapshot));
  }
}

function requireBlog(blog: BlogDetail | null): BlogDetail {
  if (blog === null) throw new DomainError('blog-not-found');
  return blog;
}
