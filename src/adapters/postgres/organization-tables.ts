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
    return this.#shownRowsOf('blogs');
  }

  /** Websites of which it has rows still, but that are not its own any more: see 0009_hidden_websites.sql. */
  hiddenWebsites(): Knex.QueryBuilder {
    return this.#rowsOf('hidden_websites');
  }

  /** Of the blogs on this shelf, those that are hidden. */
  hiddenBlocksOfShelf(criteria: BlogCriteria): Knex.QueryBuilder {
    const { website, term } = shelfOf(criteria);
    const hidden = this.hiddenWebsites().select(this.database.raw(`'=' || website_id`));
    const blocks = this.#rowsOf('blog_shelves').where({ term }).whereIn('website', hidden);
    return website === ANY ? blocks : blocks.where({ website });
  }

  /** How many blogs a list has and where: see 0004_blog_shelves.sql, also for how a shelf is named. */
  blocksOfShelf(criteria: BlogCriteria): Knex.QueryBuilder {
    return this.#rowsOf('blog_shelves').where(shelfOf(criteria));
  }

  /** Of one website if that is named. */
  categories(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('categories').modify(ofWebsite, websiteId);
  }

  /** Of one website if that is named. */
  tags(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('tags').modify(ofWebsite, websiteId);
  }

  #shownRowsOf(table: string): Knex.QueryBuilder {
    const isHidden = this.hiddenWebsites()
      .select('website_id')
      .whereRaw('hidden_websites.website_id = ??', [`${table}.website_id`]);
    return this.#rowsOf(table).whereNotExists(isHidden);
  }

  #rowsOf(table: string): Knex.QueryBuilder {
    return this.database
      .withSchema('content_read')
      .from(table)
      .where('organization_id', this.organizationId)
      .timeout(QUERY_TIMEOUT_MS);
  }
}

/** A column with the terms of a blog, without those of hidden websites. */
export function shownTerms(kind: 'categories' | 'tags'): string {
  return `
    case when exists (select from content_read.hidden_websites as any_hidden where any_hidden.organization_id = blogs.organization_id)
     then (
       select coalesce(jsonb_agg(term order by place), '[]')
       from jsonb_array_elements(blogs.${kind}) with ordinality as listed (term, place)
       where not exists (
         select from content_read.${kind} as stored join content_read.hidden_websites as hidden
           on (hidden.organization_id, hidden.website_id) = (blogs.organization_id, stored.website_id)
         where stored.id = term ->> 'id')
     ) else blogs.${kind} end`;
}

/** A column with the parent of a category, unless that is of a hidden website. */
export function shownParent(database: Knex): Knex.Raw {
  return database.raw(
    `case when not exists (
       select from content_read.hidden_websites as hidden join content_read.categories as parent
         on parent.website_id = hidden.website_id
       where hidden.organization_id = categories.organization_id and parent.id = categories.parent_id)
     then categories.parent_id end`,
  );
}

function shelfOf({ websiteId, categorySlug, tagSlug }: BlogCriteria) {
  const website = websiteId === null ? ANY : `=${websiteId}`;
  const category = categorySlug === null ? ANY : `category=${categorySlug}`;
  return { website, term: tagSlug === null ? category : `tag=${tagSlug}` };
}

export function ofWebsite(rows: Knex.QueryBuilder, websiteId: string | null): void {
  if (websiteId !== null) rows.where('website_id', websiteId);
}
