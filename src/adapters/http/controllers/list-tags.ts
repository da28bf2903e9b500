import type { ListTagsHandler } from '../../../domain/queries/list-tags.js';
import type { Endpoint } from '../endpoint.js';
import { WebsiteQuery } from '../parameters.js';
import { presentTags } from '../presenters/tag-presenter.js';

export function listTags(handler: ListTagsHandler): Endpoint<typeof WebsiteQuery> {
  return {
    path: '/api/v1/tags',
    query: WebsiteQuery,
    kind: 'list',
    answer: async (organizationId, { website_id }) =>
      presentTags(await handler.handle({ organizationId, websiteId: website_id ?? null })),
  };
}
