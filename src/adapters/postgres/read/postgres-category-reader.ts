import type { Knex } from 'knex';
import type { Category } from '../../../domain/model/term.js';
import type { CategoryReader } from '../../../domain/ports/reading/category-reader.js';
import { OrganizationTables, shownParent } from './organization-tables.js';

const COLUMNS = {
  id: 'id',
  websiteId: 'website_id',
  name: 'name',
  slug: 'slug',
  description: 'description',
  sortOrder: 'sort_order',
};

export class PostgresCategoryReader implements CategoryReader {
  constructor(private readonly database: Knex) {}

  async list(organizationId: string, websiteId: string | null): Promise<readonly Category[]> {
    const categories = new OrganizationTables(this.database, organizationId).categories(websiteId);
    return categories.select({ ...COLUMNS, parentId: shownParent(this.database) });
  }
}
