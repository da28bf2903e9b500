import type { Blog } from '../model/blog.js';
import { foldCase } from '../policies/text-folding.js';
import type { BlogReader } from '../ports/reading/blog-reader.js';

/** Null: no such filter. */
export interface BlogQuery {
  /** The first page is 1. */
  readonly page: number;
  readonly limit: number;
  readonly websiteId: string | null;
  readonly categorySlug: string | null;
  readonly tagSlug: string | null;
  /** Part of the title, in any case. */
  readonly search: string | null;
}

export interface BlogPage extends Pick<BlogQuery, 'page' | 'limit'> {
  readonly items: readonly Blog[];
  /** The number of matches on all pages. */
  readonly total: number;
  readonly pages: number;
}

export async function listPublishedBlogs(
  blogs: BlogReader,
  organizationId: string,
  { page, limit, search, ...filters }: BlogQuery,
): Promise<BlogPage> {
  const criteria = { ...filters, foldedTitlePart: search === null ? null : foldCase(search) };
  const cut = { offset: (page - 1) * limit, limit };
  const { total, blogs: items } = await blogs.list(organizationId, criteria, cut);
  return { page, limit, items, total, pages: Math.ceil(total / limit) };
}
