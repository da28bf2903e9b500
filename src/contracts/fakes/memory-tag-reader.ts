import type { Tag } from '../../domain/model/term.js';
import type { TagReader } from '../../domain/ports/reading/tag-reader.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemoryTagReader implements TagReader {
  constructor(private readonly readModel: MemoryReadModel) {}

  async list(organizationId: string, websiteId: string | null): Promise<readonly Tag[]> {
    const tags = this.readModel.rowsOf('tags', organizationId);
    return tags
      .filter((tag) => websiteId === null || tag.websiteId === websiteId)
      .map(({ organizationId: _, ...tag }) => tag);
  }
}
