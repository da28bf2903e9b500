import type { Knex } from 'knex';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import type { Category } from '../../../domain/model/term.js';
import type { CategoryReader } from '../../../domain/ports/reading/category-reader.js';
import { type ContentDatabase, isFound, OrganizationTables, shownParent } from './content-database.js';

const COLUMNS = {
  id: 'id',
  websiteId: 'website_id',
  name: 'name',
  slug: 'slug',
  description: 'description',
  sortOrder: 'sort_order',
};

export class PostgresCategoryReader implements CategoryReader {
  constructor(private readonly content: ContentDatabase) {}

  async list(
    organizationId: string,
    websiteId: string | null,
    snapshot: Snapshot,
  ): Promise<readonly Category[]> {
    const ask = (database: Knex) => {
      const tables = new OrganizationTables(database, organizationId);
      return tables.dated<Category>(
        tables.categories(websiteId).select({ ...COLUMNS, parentId: shownParent(database) }),
      );
    };
    const rows = await this.content.rows(ask, snapshot);
    return rows.filter(isFound).map(({ generation, ...category }) => category);
  }
}
