import type { Knex } from 'knex';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import type { Tag } from '../../../domain/model/term.js';
import type { TagReader } from '../../../domain/ports/reading/tag-reader.js';
import { type ContentDatabase, isFound, OrganizationTables } from './content-database.js';

const COLUMNS = { id: 'id', websiteId: 'website_id', name: 'name', slug: 'slug', color: 'color' };

export class PostgresTagReader implements TagReader {
  constructor(private readonly content: ContentDatabase) {}

  async list(organizationId: string, websiteId: string | null, snapshot: Snapshot): Promise<readonly Tag[]> {
    const ask = (database: Knex) => {
      const tables = new OrganizationTables(database, organizationId);
      return tables.dated<Tag>(tables.tags(websiteId).select(COLUMNS));
    };
    const rows = await this.content.rows(ask, snapshot);
    return rows.filter(isFound).map(({ generation, ...tag }) => tag);
  }
}
