import type { Knex } from 'knex';
import { QUERY_TIMEOUT_MS } from './read-database.js';

/** Names the organization right after each table: a test reads it there. */
export interface ContentStatement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, string | number | readonly string[]>>;
}

/** An array, which PostgreSQL reads first. Of a join it would guess how many rows are left. */
export const OF_SHOWN_WEBSITES = `coalesce(website_id <> all (array(
  select website_id from content_read.hidden_websites where organization_id = :organizationId)), true)`;

/** What one organization sees; no query can be written here without one. */
export class OrganizationTables {
  constructor(
    private readonly database: Knex,
    private readonly organizationId: string,
  ) {}

  blogs(): Knex.QueryBuilder {
    return this.#shownRowsOf('blogs');
  }

  /** Of one website if `websiteId` is given. */
  categories(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('categories').modify(ofWebsite, websiteId);
  }

  /** Of one website if `websiteId` is given. */
  tags(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('tags').modify(ofWebsite, websiteId);
  }

  #shownRowsOf(table: string): Knex.QueryBuilder {
    return this.database
      .withSchema('content_read')
      .from(table)
      .whereRaw('organization_id = ?', [this.organizationId])
      .whereRaw(OF_SHOWN_WEBSITES, { organizationId: this.organizationId })
      .timeout(QUERY_TIMEOUT_MS);
  }
}

/**
 * Without terms of hidden websites. While any is hidden, terms of other organizations are left out
 * as well: a term may have moved since.
 */
export function shownTerms(kind: 'categories' | 'tags'): string {
  return `
    case when exists (select from content_read.hidden_websites as any_hidden where any_hidden.organization_id = blogs.organization_id)
     then (
       select coalesce(jsonb_agg(term order by place), '[]')
       from jsonb_array_elements(blogs.${kind}) with ordinality as listed (term, place)
       where not exists (
         select from content_read.${kind} as stored
         where stored.id = term ->> 'id' and (stored.organization_id <> blogs.organization_id or exists (
           select from content_read.hidden_websites as hidden
           where (hidden.organization_id, hidden.website_id) = (blogs.organization_id, stored.website_id))))
     ) else blogs.${kind} end`;
}

/** A column with the parent of a category, with the same restrictions. */
export function shownParent(database: Knex): Knex.Raw {
  return database.raw(
    `case when not exists (
       select from content_read.hidden_websites as hidden join content_read.categories as parent
         on parent.website_id = hidden.website_id or parent.organization_id <> categories.organization_id
       where hidden.organization_id = categories.organization_id and parent.id = categories.parent_id)
     then categories.parent_id end`,
  );
}

function ofWebsite(rows: Knex.QueryBuilder, websiteId: string | null): void {
  if (websiteId !== null) rows.where('website_id', websiteId);
}
