import type { Knex } from 'knex';
import type { BlogCriteria } from '../../domain/model/blog-criteria.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

const ANY = '';

/**
 * The read tables as one organization sees them. Content is read through here and nowhere else, so that no query can be
 * written without an organization.
 */
export class OrganizationTables {
  constructor(
    private readonly database: Knex,
    private readonly organizationId: string,
  ) {}

  blogs(): Knex.QueryBuilder {
    return this.#rowsOf('blogs');
  }

  /** How many blogs a list has and where: see 0004_blog_shelves.sql, also for how a shelf is named. */
  blocksOfShelf({ websiteId, categorySlug, tagSlug }: BlogCriteria): Knex.QueryBuilder {
    const website = websiteId === null ? ANY : `=${websiteId}`;
    const category = categorySlug === null ? ANY : `category=${categorySlug}`;
    const term = tagSlug === null ? category : `tag=${tagSlug}`;
    return this.#rowsOf('blog_shelves').where({ website, term });
  }

  /** Of one website if that is named. */
  categories(websiteId: string | null): Knex.QueryBuilder {
    return this.#rowsOf('categories').modify(ofWebsite, websiteId);
  }

  /** Of one website if that is named. */
  tags(websiteId: string | null): Knex.QueryBuilder {
    return this.#rowsOf('tags').modify(ofWebsite, websiteId);
  }

  #rowsOf(table: string): Knex.QueryBuilder {
    return this.database
      .withSchema('content_read')
      .from(table)
      .where('organization_id', this.organizationId)
      .timeout(QUERY_TIMEOUT_MS);
  }
}

export function ofWebsite(rows: Knex.QueryBuilder, websiteId: string | null): void {
  if (websiteId !== null) rows.where('website_id', websiteId);
}
