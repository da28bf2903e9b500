import { DomainError } from '../errors.js';
import type { BlogDetail } from '../model/blog.js';
import type { BlogReader } from '../ports/reading/blog-reader.js';

export interface GetBlogById {
  readonly organizationId: string;
  readonly id: string;
}

export class GetBlogByIdHandler {
  constructor(private readonly blogs: BlogReader) {}

  async handle({ organizationId, id }: GetBlogById): Promise<BlogDetail> {
    return requireBlog(await this.blogs.findById(organizationId, id));
  }
}

export interface GetBlogBySlug {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly slug: string;
}

export class GetBlogBySlugHandler {
  constructor(private readonly blogs: BlogReader) {}

  async handle({ organizationId, websiteId, slug }: GetBlogBySlug): Promise<BlogDetail> {
    return requireBlog(await this.blogs.findBySlug(organizationId, websiteId, slug));
  }
}

function requireBlog(blog: BlogDetail | null): BlogDetail {
  if (blog === null) throw new DomainError('blog-not-found');
  return blog;
}
