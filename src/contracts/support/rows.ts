import type { ApiKey } from '../../domain/model/api-key.js';
import { BLOG_COUNTS, BLOG_TEXTS, recordOf } from '../../domain/model/blog-fields.js';
import type { BlogRow, CategoryRow, TagRow, UnshownRow } from '../../domain/model/read-model.js';
import { foldCase } from '../../domain/policies/text-folding.js';

/** The default website of an organization. No two organizations share one. */
export function websiteOf(organizationId: string): string {
  return `web_${organizationId.replace(/^org_/, '')}1`;
}

/** Read-model rows with defaults, so that a test states only what matters to it. */
export function aBlog(given: Partial<BlogRow> & { id: string }): BlogRow {
  const title = given.title ?? `Title of ${given.id}`;
  return {
    organizationId: 'org_a',
    websiteId: websiteOf(given.organizationId ?? 'org_a'),
    title,
    foldedTitle: foldCase(title),
    slug: `slug-of-${given.id}`,
    ...recordOf(BLOG_TEXTS, () => null),
    contentHtml: `<p>Content of ${given.id}</p>`,
    ...recordOf(BLOG_COUNTS, () => 3),
    publishedAt: Date.UTC(2026, 0, 1),
    categories: [],
    tags: [],
    ...given,
  };
}

export function aCategory(given: Partial<CategoryRow> & { id: string }): CategoryRow {
  return {
    organizationId: 'org_a',
    websiteId: websiteOf(given.organizationId ?? 'org_a'),
    name: `Name of ${given.id}`,
    slug: `slug-of-${given.id}`,
    description: '',
    parentId: null,
    sortOrder: 0,
    ...given,
  };
}

export function aTag(given: Partial<TagRow> & { id: string }): TagRow {
  return {
    organizationId: 'org_a',
    websiteId: websiteOf(given.organizationId ?? 'org_a'),
    name: `Name of ${given.id}`,
    slug: `slug-of-${given.id}`,
    color: '#336699',
    ...given,
  };
}

export function aKey(given: Partial<ApiKey> & { id: string }): ApiKey {
  return { organizationId: 'org_a', hash: `hash-of-${given.id}`, expiresAt: null, revokedAt: null, ...given };
}

export function anUnshownRow(id: string, reason: string): UnshownRow {
  return { id, reason, cause: reason, attempts: 1, retryAfterMs: 1_000 };
}
