import type { Blog, BlogDetail } from '../../../domain/model/blog.js';
import { fieldsOf } from '../../../domain/model/blog-fields.js';
import type { Page } from '../../../domain/model/page.js';
import type { Category, Tag, Term } from '../../../domain/model/term.js';
import type { BlogReader } from '../../../domain/ports/reading/blog-reader.js';
import type { CategoryReader } from '../../../domain/ports/reading/category-reader.js';
import type { TagReader } from '../../../domain/ports/reading/tag-reader.js';
import { GetBlogByIdHandler } from '../../../domain/queries/get-blog-by-id.js';
import { GetBlogBySlugHandler } from '../../../domain/queries/get-blog-by-slug.js';
import { ListCategoriesHandler } from '../../../domain/queries/list-categories.js';
import { ListPublishedBlogsHandler } from '../../../domain/queries/list-published-blogs.js';
import { ListTagsHandler } from '../../../domain/queries/list-tags.js';
import {
  type Endpoint,
  GET_BLOG_BY_ID,
  GET_BLOG_BY_SLUG,
  LIST_BLOGS,
  LIST_CATEGORIES,
  LIST_TAGS,
} from './endpoints.js';

export interface ContentReaders {
  readonly blogReader: BlogReader;
  readonly categoryReader: CategoryReader;
  readonly tagReader: TagReader;
}

/** Each operation with the query that answers it, and with the presentation of the result. */
export function endpointsOf({ blogReader, categoryReader, tagReader }: ContentReaders): readonly Endpoint[] {
  return [
    listBlogs(new ListPublishedBlogsHandler(blogReader)),
    getBlogById(new GetBlogByIdHandler(blogReader)),
    getBlogBySlug(new GetBlogBySlugHandler(blogReader)),
    listCategories(new ListCategoriesHandler(categoryReader)),
    listTags(new ListTagsHandler(tagReader)),
  ];
}

function listBlogs(query: ListPublishedBlogsHandler): Endpoint<typeof LIST_BLOGS> {
  return {
    ...LIST_BLOGS,
    readContent: async (organizationId, parameters, _segment, snapshot) => {
      const { page, limit, category, tag, search, website_id } = parameters;
      const blogs = await query.handle({
        organizationId,
        page,
        limit,
        categorySlug: category ?? null,
        tagSlug: tag ?? null,
        search: search || null,
        websiteId: website_id ?? null,
        snapshot,
      });
      return presentBlogs(blogs);
    },
  };
}

function getBlogById(query: GetBlogByIdHandler): Endpoint<typeof GET_BLOG_BY_ID> {
  return {
    ...GET_BLOG_BY_ID,
    readContent: async (organizationId, _parameters, id, snapshot) =>
      presentBlog(await query.handle({ organizationId, id, snapshot })),
  };
}

function getBlogBySlug(query: GetBlogBySlugHandler): Endpoint<typeof GET_BLOG_BY_SLUG> {
  return {
    ...GET_BLOG_BY_SLUG,
    readContent: async (organizationId, { website_id }, slug, snapshot) =>
      presentBlog(await query.handle({ organizationId, websiteId: website_id, slug, snapshot })),
  };
}

function listCategories(query: ListCategoriesHandler): Endpoint<typeof LIST_CATEGORIES> {
  return {
    ...LIST_CATEGORIES,
    readContent: async (organizationId, { website_id }, _segment, snapshot) => {
      const categories = await query.handle({ organizationId, websiteId: website_id ?? null, snapshot });
      return { data: categories.map(presentCategory) };
    },
  };
}

function listTags(query: ListTagsHandler): Endpoint<typeof LIST_TAGS> {
  return {
    ...LIST_TAGS,
    readContent: async (organizationId, { website_id }, _segment, snapshot) => {
      const tags = await query.handle({ organizationId, websiteId: website_id ?? null, snapshot });
      return { data: tags.map(presentTag) };
    },
  };
}

function presentBlogs({ items, page, limit, total, pages }: Page<Blog>) {
  return { data: items.map(presentListItem), pagination: { page, limit, total, pages } };
}

function presentListItem(blog: Blog) {
  return {
    ...presentFields(blog),
    categories: blog.categories.map(presentNamedTerm),
    tags: blog.tags.map(presentNamedTerm),
  };
}

function presentBlog(blog: BlogDetail) {
  return {
    data: {
      ...presentFields(blog),
      contentHtml: blog.contentHtml,
      categories: blog.categories.map(presentTerm),
      tags: blog.tags.map(presentTerm),
    },
  };
}

function presentFields(blog: Blog) {
  return {
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    ...fieldsOf(blog),
    publishedAt: new Date(blog.publishedAt).toISOString(),
    websiteId: blog.websiteId,
  };
}

function presentNamedTerm({ name, slug }: Term) {
  return { name, slug };
}

function presentTerm({ id, name, slug }: Term) {
  return { id, name, slug };
}

function presentCategory({ id, name, slug, description, parentId, sortOrder, websiteId }: Category) {
  return { id, name, slug, description, parentId, sortOrder, websiteId };
}

function presentTag({ id, name, slug, color, websiteId }: Tag) {
  return { id, name, slug, color, websiteId };
}
