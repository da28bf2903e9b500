import type { RowTypes } from '../model/read-model.js';
import { SHOWN_STATUS, type SourceTerm, type SourceTypes } from '../model/source.js';
import { byName, bySortOrder } from './ordering.js';
import { foldCase } from './text-folding.js';

type Projections = {
  readonly [Kind in keyof SourceTypes]: (source: SourceTypes[Kind]) => RowTypes[Kind] | null;
};

/** From the dashboard's rows to what the API shows. Null: nothing of this row is shown. */
export const projections: Projections = {
  apiKeys: (key) => key,

  categories: ({ parentOrganizationId, ...category }) => ({
    ...category,
    parentId: parentOrganizationId === category.organizationId ? category.parentId : null,
  }),

  tags: (tag) => tag,

  blogs: (blog) => {
    if (blog.status !== SHOWN_STATUS) return null;
    const isOfSameOrganization = (term: SourceTerm) => term.organizationId === blog.organizationId;
    // Field by field: to copy the rest of the object takes several times as long.
    return {
      id: blog.id,
      organizationId: blog.organizationId,
      websiteId: blog.websiteId,
      title: blog.title,
      foldedTitle: foldCase(blog.title),
      slug: blog.slug,
      excerpt: blog.excerpt,
      metaTitle: blog.metaTitle,
      metaDescription: blog.metaDescription,
      featuredImageUrl: blog.featuredImageUrl,
      featuredImageAlt: blog.featuredImageAlt,
      contentHtml: blog.contentHtml,
      wordCount: blog.wordCount,
      readingTimeMinutes: blog.readingTimeMinutes,
      publishedAt: blog.publishedAt ?? Number.NaN,
      categories: blog.categories.filter(isOfSameOrganization).toSorted(bySortOrder).map(toTerm),
      tags: blog.tags.filter(isOfSameOrganization).toSorted(byName).map(toTerm),
    };
  },
};

function toTerm({ id, name, slug }: SourceTerm) {
  return { id, name, slug };
}
