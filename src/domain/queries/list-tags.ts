import type { Snapshot } from '../model/snapshot.js';
import type { Tag } from '../model/term.js';
import { byName } from '../policies/ordering.js';
import type { TagReader } from '../ports/reading/tag-reader.js';

export interface ListTags {
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly snapshot: Snapshot;
}

export class ListTagsHandler {
  constructor(private readonly tags: TagReader) {}

  async handle(query: ListTags): Promise<readonly Tag[]> {
    const tags = await this.tags.list(query.organizationId, query.websiteId, query.snapshot);
    return tags.toSorted(byName);
  }
}
