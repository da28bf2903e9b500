import type { Category } from '../../domain/model/term.js';
import type { CategoryReader } from '../../domain/ports/reading/category-reader.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemoryCategoryReader implements CategoryReader {
  constructor(private readonly readModel: MemoryReadModel) {}

  async list(organizationId: string, websiteId: string | null): Promise<readonly Category[]> {
    const categories = this.readModel.rowsOf('categories', organizationId);
    return categories
      .filter((category) => websiteId === null || category.websiteId === websiteId)
      .map(({ organizationId: _, ...category }) => category);
  }
}
