import type { SourceBlog, SourceTag, SourceTerm } from '../../../src/domain/model/source.js';

/** A category as a blog of the dashboard contains it. */
export function aLinkedCategory(given: Partial<SourceBlog['categories'][number]> & { id: string }) {
  return { ...aLinkedTag(given), sortOrder: 0, ...given };
}

/** A tag as a blog of the dashboard contains it. */
export function aLinkedTag(given: Partial<SourceTerm> & { id: string }): SourceTerm {
  return { organizationId: 'org_a', name: `Name of ${given.id}`, slug: `slug-of-${given.id}`, ...given };
}

export function aSourceTag(given: Partial<SourceTag> & { id: string }): SourceTag {
  return { ...aLinkedTag(given), websiteId: 'web_a1', color: '#336699', ...given };
}
