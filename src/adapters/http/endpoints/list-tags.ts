import type { ListTagsHandler } from '../../../domain/queries/list-tags.js';
import { type Endpoint, LIST_TAGS } from './operations.js';
import { presentTags } from './tag-presenter.js';

export function listTags(handler: ListTagsHandler): Endpoint<typeof LIST_TAGS> {
  return {
    ...LIST_TAGS,
    answer: async (organizationId, { website_id }, _segment, snapshot) =>
      presentTags(await handler.handle({ organizationId, websiteId: website_id ?? null, snapshot })),
  };
}
