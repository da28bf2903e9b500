import type { Blog, BlogDetail } from '../../domain/model/blog.js';
import type { BlogRow } from '../../domain/model/read-model.js';
import { newestFirst } from '../../domain/policies/ordering.js';
import type { BlogCriteria, BlogCut, BlogReader } from '../../domain/ports/reading/blog-reader.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemoryBlogReader implements BlogReader {
  constructor(private readonly readModel: MemoryReadModel) {}

  async list(organizationId: string, criteria: BlogCriteria, { offset, limit }: BlogCut) {
    const matching = this.#blogsOf(organizationId).filter((blog) => meets(blog, criteria));
    const blogs = matching
      .toSorted(newestFirst)
      .slice(offset, offset + limit)
      .map(toBlog);
    return { total: matching.length, blogs };
  }

  async findById(organizationId: string, id: string): Promise<BlogDetail | null> {
    const row = this.#blogsOf(organizationId).find((blog) => blog.id === id);
    return row === undefined ? null : toBlogDetail(row);
  }

  async findBySlug(organizationId: string, websiteId: string, slug: string): Promise<BlogDetail | null> {
    const row = this.#blogsOf(organizationId).find(
      (blog) => blog.websiteId === websiteId && blog.slug === slug,
    );
    return row === undefined ? null : toBlogDetail(row);
  }

  #blogsOf(organizationId: string): readonly BlogRow[] {
    return this.readModel.rowsOf('blogs', organizationId);
  }
}

function meets(blog: BlogRow, { websiteId, categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): boolean {
  return (
    (websiteId === null || blog.websiteId === websiteId) &&
    (categorySlug === null || blog.categories.some(({ slug }) => slug === categorySlug)) &&
    (tagSlug === null || blog.tags.some(({ slug }) => slug === tagSlug)) &&
    (foldedTitlePart === null || blog.foldedTitle.includes(foldedTitlePart))
  );
}

function toBlogDetail({ organizationId, foldedTitle, ...detail }: BlogRow): BlogDetail {
  return detail;
}

function toBlog(row: BlogRow): Blog {
  const { contentHtml, ...blog } = toBlogDetail(row);
  return blog;
}
