import type { Knex } from 'knex';
import type { BlogCriteria } from '../../domain/model/blog-criteria.js';
import type { Dated } from './content-database.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

const ANY = '';
/** As text: for a builder Knex takes as long as PostgreSQL takes for the column. */
const GENERATION =
  'coalesce((select generation from "content_read"."organizations" where "organization_id" = ?), 0)';

/**
 * The read tables as one organization sees them. Content is read through here and nowhere else, so that no query can be
 * written without an organization.
 */
export class OrganizationTables {
  constructor(
    private readonly database: Knex,
    private readonly organizationId: string,
  ) {}

  /** Of one website if that is named. */
  blogs(websiteId: string | null = null): Knex.QueryBuilder {
    return this.#shownRowsOf('blogs').modify(ofWebsite, websiteId);
  }

  /** What blogs are found by: those that match. */
  entries({ websiteId, categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): Knex.QueryBuilder {
    const rows = this.#shownRowsOf('blog_entries').modify(ofWebsite, websiteId);
    if (categorySlug !== null) rows.whereRaw('category_slugs @> array[?]::text[]', [categorySlug]);
    if (tagSlug !== null) rows.whereRaw('tag_slugs @> array[?]::text[]', [tagSlug]);
    if (foldedTitlePart !== null) rows.modify(withTitlePart, foldedTitlePart);
    return rows;
  }

  /** Titles of one website if that is named, many in a row: see 0016_title_packs.sql. */
  packs(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('title_packs').modify(ofWebsite, websiteId);
  }

  /** What each pack knows of its titles: see 0021_pack_counts.sql. */
  packCounts(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('pack_counts').modify(ofWebsite, websiteId);
  }

  /** The pack that a row of these is about, inside of a query for them. */
  packOfCounts(): Knex.QueryBuilder {
    return this.#rowsOf('title_packs').whereRaw(
      '(title_packs.website_id, title_packs.pack) = (pack_counts.website_id, pack_counts.pack)',
    );
  }

  /** A list's blogs, in rows that an index has in their order. */
  entriesOfList(criteria: BlogCriteria): Knex.QueryBuilder {
    const { term } = listOf(criteria);
    if (term === ANY) return this.blogs(criteria.websiteId);
    return this.#shownRowsOf('term_entries').where({ term }).modify(ofWebsite, criteria.websiteId);
  }

  /** Websites of which it has rows still, but that are not its own any more: see 0009_hidden_websites.sql. */
  hiddenWebsites(): Knex.QueryBuilder {
    return this.#rowsOf('hidden_websites');
  }

  /** Of the blogs in this list, those that are hidden. As a list that is made once: a join may begin with all blocks there are. */
  hiddenListCounts(criteria: BlogCriteria): Knex.QueryBuilder {
    const { website, term } = listOf(criteria);
    const hidden = this.hiddenWebsites().select(this.database.raw(`'=' || website_id`));
    const blocks = this.#rowsOf('blog_shelves')
      .where({ term })
      .whereRaw('website = any (array(?))', [hidden]);
    return website === ANY ? blocks : blocks.where({ website });
  }

  /** How many blogs a list has and where: see 0004_blog_shelves.sql, also for how a shelf is named. */
  listCounts(criteria: BlogCriteria): Knex.QueryBuilder {
    return this.#rowsOf('blog_shelves').where(listOf(criteria));
  }

  /** Of one website if that is named. */
  categories(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('categories').modify(ofWebsite, websiteId);
  }

  /** Of one website if that is named. */
  tags(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('tags').modify(ofWebsite, websiteId);
  }

  /** A column with the generation that the organization has in the snapshot of the statement. */
  generation(): Knex.Raw {
    return this.database.raw(GENERATION, [this.organizationId]);
  }

  /**
   * These rows, each with the generation in the same snapshot; where there are none, one row with the generation and the columns null. That
   * takes a join, which is planned for longer than a column: it is left to a second statement.
   */
  async dated<Row>(rows: Knex.QueryBuilder): Promise<readonly Dated<Row>[]> {
    const generation = this.generation();
    const found: readonly Dated<Row>[] = await rows.select({ generation });
    if (found.length > 0) return found;
    return this.database
      .select('content.*', 'snapshot.generation')
      .from(this.database.select({ generation }).as('snapshot'))
      .leftJoin(rows.as('content'), this.database.raw('true'))
      .timeout(QUERY_TIMEOUT_MS);
  }

  /**
   * As a list that is made once: a join with it would be planned by guessing how many are hidden, which is next to always none. A bare
   * `<> all` of a list that is not known yet would be guessed to leave no row of an organization with one website; of `coalesce` PostgreSQL
   * guesses half.
   */
  #shownRowsOf(table: string): Knex.QueryBuilder {
    return this.#rowsOf(table).whereRaw('coalesce(?? <> all (array(?)), true)', [
      `${table}.website_id`,
      this.hiddenWebsites().select('website_id'),
    ]);
  }

  #rowsOf(table: string): Knex.QueryBuilder {
    return this.database
      .withSchema('content_read')
      .from(table)
      .where('organization_id', this.organizationId)
      .timeout(QUERY_TIMEOUT_MS);
  }
}

/**
 * A column with the terms of a blog, without those of hidden websites. While any is hidden, also without those of other organizations: a
 * term may have gone on to another website since.
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

/** A column with the parent of a category, likewise. */
export function shownParent(database: Knex): Knex.Raw {
  return database.raw(
    `case when not exists (
       select from content_read.hidden_websites as hidden join content_read.categories as parent
         on parent.website_id = hidden.website_id or parent.organization_id <> categories.organization_id
       where hidden.organization_id = categories.organization_id and parent.id = categories.parent_id)
     then categories.parent_id end`,
  );
}

function listOf({ websiteId, categorySlug, tagSlug }: BlogCriteria) {
  const website = websiteId === null ? ANY : `=${websiteId}`;
  const category = categorySlug === null ? ANY : `category=${categorySlug}`;
  return { website, term: tagSlug === null ? category : `tag=${tagSlug}` };
}

function ofWebsite(rows: Knex.QueryBuilder, websiteId: string | null): void {
  if (websiteId !== null) rows.where('website_id', websiteId);
}

/** `%`, `_` and `\\` mean themselves in what a caller searches for. */
export function withTitlePart(rows: Knex.QueryBuilder, part: string): void {
  rows.whereLike('folded_title', `%${part.replace(/[\\%_]/g, '\\$&')}%`);
}
