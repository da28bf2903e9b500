import { BLOG_COUNTS, BLOG_TEXTS, recordOf } from '../../domain/model/blog-fields.js';
import type { SourceBlog, SourceCategory } from '../../domain/model/source.js';
import { websiteOf } from './rows.js';

/** Rows of the dashboard with defaults, so that a test states only what matters to it. */
export function aSourceBlog(given: Partial<SourceBlog> & { id: string }): SourceBlog {
  return {
    organizationId: 'org_a',
    websiteId: websiteOf(given.organizationId ?? 'org_a'),
    title: `Title of ${given.id}`,
    slug: `slug-of-${given.id}`,
    ...recordOf(BLOG_TEXTS, () => null),
    contentHtml: '',
    ...recordOf(BLOG_COUNTS, () => 1),
    status: 'published',
    publishedAt: Date.UTC(2026, 0, 1),
    categories: [],
    tags: [],
    ...given,
  };
}

export function aSourceCategory(given: Partial<SourceCategory> & { id: string }): SourceCategory {
  return {
    organizationId: 'org_a',
    websiteId: websiteOf(given.organizationId ?? 'org_a'),
    parentId: null,
    parentOrganizationId: null,
    name: `Name of ${given.id}`,
    slug: `slug-of-${given.id}`,
    description: '',
    sortOrder: 0,
    ...given,
  };
}
