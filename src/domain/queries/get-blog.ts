import { DomainError } from '../errors.js';
import type { BlogDetail } from '../model/blog.js';
import type { BlogReader } from '../ports/reading/blog-reader.js';

export async function getBlogById(
  blogs: BlogReader,
  organizationId: string,
  id: string,
): Promise<BlogDetail> {
  return requireBlog(await blogs.findById(organizationId, id));
}

/** Slugs are unique only within one website. */
export async function getBlogBySlug(
  blogs: BlogReader,
  organizationId: string,
  websiteId: string,
  slug: string,
): Promise<BlogDetail> {
  return requireBlog(await blogs.findBySlug(organizationId, websiteId, slug));
}

function requireBlog(blog: BlogDetail | null): BlogDetail {
  if (blog === null) throw new DomainError('blog-not-found');
  return blog;
}
