import type { RowKind } from '../../src/domain/model/read-model.js';
import type { SourceBlog, SourceCategory, SourceTypes } from '../../src/domain/model/source.js';
import { projections } from '../../src/domain/sync/projection.js';
import type { ApiUnderTest } from './api-under-test.js';

/** Rows of the dashboard that say in a test only what the test is about. */
export function aSourceBlog(given: Partial<SourceBlog> & { id: string }): SourceBlog {
  return {
    organizationId: 'org_a',
    websiteId: 'web_a1',
    title: `Title of ${given.id}`,
    slug: `slug-of-${given.id}`,
    excerpt: null,
    metaTitle: null,
    metaDescription: null,
    featuredImageUrl: null,
    featuredImageAlt: null,
    contentHtml: '',
    wordCount: 1,
    readingTimeMinutes: 1,
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
    websiteId: 'web_a1',
    parentId: null,
    parentOrganizationId: null,
    name: `Name of ${given.id}`,
    slug: `slug-of-${given.id}`,
    description: '',
    sortOrder: 0,
    ...given,
  };
}

/** As the sync job brings a row of the dashboard into the read model: projected, or taken out where it shows nothing. */
export async function bringOver<Kind extends RowKind>(
  api: ApiUnderTest,
  kind: Kind,
  source: SourceTypes[Kind],
): Promise<void> {
  const row = projections[kind](source);
  if (row === null) await api.remove(kind, source.id);
  else await api.put(kind, row);
}
