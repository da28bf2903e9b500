import type { Blog, BlogDetail } from '../../../domain/model/blog.js';
import { fieldsOf } from '../../../domain/model/blog-fields.js';
import type { Category, Tag, Term } from '../../../domain/model/term.js';
import type { BlogReader } from '../../../domain/ports/reading/blog-reader.js';
import type { CategoryReader } from '../../../domain/ports/reading/category-reader.js';
import type { TagReader } from '../../../domain/ports/reading/tag-reader.js';
import { getBlogById, getBlogBySlug } from '../../../domain/queries/get-blog.js';
import { type BlogPage, listPublishedBlogs } from '../../../domain/queries/list-published-blogs.js';
import { listCategories, listTags } from '../../../domain/queries/list-terms.js';
import {
  type Endpoint,
  GET_BLOG_BY_ID,
  GET_BLOG_BY_SLUG,
  LIST_BLOGS,
  LIST_CATEGORIES,
  LIST_TAGS,
  type Operation,
} from './endpoints.js';

export interface ContentReaders {
  readonly blogReader: BlogReader;
  readonly categoryReader: CategoryReader;
  readonly tagReader: TagReader;
}

/** Each operation with the query that answers it, and with the presentation of the result. */
export function endpointsOf({ blogReader, categoryReader, tagReader }: ContentReaders): readonly Endpoint[] {
  return [
    endpoint(LIST_BLOGS, async (organizationId, parameters) => {
      const { page, limit, category, tag, search, website_id } = parameters;
      return presentBlogs(
        await listPublishedBlogs(blogReader, organizationId, {
          page,
          limit,
          categorySlug: category ?? null,
          tagSlug: tag ?? null,
          search: search || null,
          websiteId: website_id ?? null,
        }),
      );
    }),
    endpoint(GET_BLOG_BY_ID, async (organizationId, _parameters, id) =>
      presentBlog(await getBlogById(blogReader, organizationId, id)),
    ),
    endpoint(GET_BLOG_BY_SLUG, async (organizationId, { website_id: websiteId }, slug) =>
      presentBlog(await getBlogBySlug(blogReader, organizationId, websiteId, slug)),
    ),
    endpoint(LIST_CATEGORIES, async (organizationId, { website_id: websiteId = null }) => {
      const categories = await listCategories(categoryReader, organizationId, websiteId);
      return { data: categories.map(presentCategory) };
    }),
    endpoint(LIST_TAGS, async (organizationId, { website_id: websiteId = null }) => {
      const tags = await listTags(tagReader, organizationId, websiteId);
      return { data: tags.map(presentTag) };
    }),
  ];
}

/** So that the types of its parameters and of its content are those of the operation. */
function endpoint<Described extends Operation>(
  operation: Described,
  readContent: Endpoint<Described>['readContent'],
): Endpoint<Described> {
  return { ...operation, readContent };
}

function presentBlogs({ items, page, limit, total, pages }: BlogPage) {
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
