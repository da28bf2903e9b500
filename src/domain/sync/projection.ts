import type { RowTypes } from '../model/read-model.js';
import type { SourceTerm, SourceTypes } from '../model/source.js';
import { byName, bySortOrder } from '../policies/ordering.js';
import { SHOWN_STATUS } from '../policies/shown-status.js';
import { foldCase } from '../policies/text-folding.js';

type Projections = {
  readonly [Kind in keyof SourceTypes]: (source: SourceTypes[Kind]) => RowTypes[Kind] | null;
};

/** From what the dashboard holds to what the API shows; null: it shows nothing of this row. Pure, and the only such place. */
export const projections: Projections = {
  apiKeys: (key) => key,

  categories: ({ parentOrganizationId, ...category }) => ({
    ...category,
    parentId: parentOrganizationId === category.organizationId ? category.parentId : null,
  }),

  tags: (tag) => tag,

  blogs: ({ status, publishedAt, categories, tags, ...blog }) => {
    if (status !== SHOWN_STATUS) return null;
    const own = (term: SourceTerm) => term.organizationId === blog.organizationId;
    return {
      ...blog,
      publishedAt: publishedAt ?? Number.NaN,
      foldedTitle: foldCase(blog.title),
      categories: categories.filter(own).toSorted(bySortOrder).map(toTerm),
      tags: tags.filter(own).toSorted(byName).map(toTerm),
    };
  },
};

function toTerm({ id, name, slug }: SourceTerm) {
  return { id, name, slug };
}
