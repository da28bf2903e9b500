import type { Blog, BlogDetail } from '../../../domain/model/blog.js';
import { fieldsOf } from '../../../domain/model/blog-fields.js';
import type { Page } from '../../../domain/model/page.js';
import type { Term } from '../../../domain/model/term.js';

export function presentBlogs({ items, page, limit, total, pages }: Page<Blog>) {
  return { data: items.map(presentListItem), pagination: { page, limit, total, pages } };
}

function presentListItem(blog: Blog) {
  return {
    ...presentFields(blog),
    categories: blog.categories.map(presentNamedTerm),
    tags: blog.tags.map(presentNamedTerm),
  };
}

export function presentBlog(blog: BlogDetail) {
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
