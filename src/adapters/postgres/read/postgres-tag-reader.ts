import type { Knex } from 'knex';
import type { Tag } from '../../../domain/model/term.js';
import type { TagReader } from '../../../domain/ports/reading/tag-reader.js';
import { OrganizationTables } from './organization-tables.js';

const COLUMNS = { id: 'id', websiteId: 'website_id', name: 'name', slug: 'slug', color: 'color' };

export class PostgresTagReader implements TagReader {
  constructor(private readonly database: Knex) {}

  async list(organizationId: string, websiteId: string | null): Promise<readonly Tag[]> {
    return new OrganizationTables(this.database, organizationId).tags(websiteId).select(COLUMNS);
  }
}
