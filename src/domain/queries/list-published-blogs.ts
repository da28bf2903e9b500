import type { Blog } from '../model/blog.js';
import { foldCase } from '../policies/text-folding.js';
import type { BlogReader } from '../ports/reading/blog-reader.js';

/** Null: no such filter. */
export interface ListPublishedBlogs {
  /** The first page is 1. */
  readonly page: number;
  readonly limit: number;
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly categorySlug: string | null;
  readonly tagSlug: string | null;
  /** Part of the title, in any case. */
  readonly search: string | null;
}

export interface BlogPage extends Pick<ListPublishedBlogs, 'page' | 'limit'> {
  readonly items: readonly Blog[];
  /** The number of matches on all pages. */
  readonly total: number;
  readonly pages: number;
}

export class ListPublishedBlogsHandler {
  constructor(private readonly blogs: BlogReader) {}

  async handle(query: ListPublishedBlogs): Promise<BlogPage> {
    const criteria = {
      websiteId: query.websiteId,
      categorySlug: query.categorySlug,
      tagSlug: query.tagSlug,
      foldedTitlePart: query.search === null ? null : foldCase(query.search),
    };
    const { page, limit } = query;
    const cut = { offset: (page - 1) * limit, limit };
    const { total, blogs } = await this.blogs.list(query.organizationId, criteria, cut);
    return { page, limit, items: blogs, total, pages: Math.ceil(total / limit) };
  }
}
