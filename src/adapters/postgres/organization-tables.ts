import type { Knex } from 'knex';
import type { BlogCriteria } from '../../domain/ports/blog-reader.js';
import type { Dated } from './content-database.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

const ANY = '';
/** As text: Knex takes as long to build this column as PostgreSQL takes to read it. */
const GENERATION =
  'coalesce((select generation from "content_read"."organizations" where "organization_id" = ?), 0)';

/** With a collation other than that of the index, the condition cannot use the index. */
const NOT_BY_INDEX = '"organization_id" = ? collate "POSIX"';

/**
 * The read tables as one organization sees them. All content is read through this class, so that no query can be written without an
 * organization.
 */
export class OrganizationTables {
  constructor(
    private readonly database: Knex,
    private readonly organizationId: string,
  ) {}

  /** Of one website if `websiteId` is given. */
  blogs(websiteId: string | null = null): Knex.QueryBuilder {
    return this.#shownRowsOf('blogs').modify(ofWebsite, websiteId);
  }

  /**
   * These blogs. The ids are read first, and each blog by its id. Statistics that lack the organization estimate that it has one blog: all
   * of its blogs would be read, and the ids for each of them.
   */
  blogsWithIds(ids: Knex.QueryBuilder | Knex.Raw): Knex.QueryBuilder {
    return this.#onlyShown(this.#rowsOf('blogs', NOT_BY_INDEX), 'blogs').whereRaw('id = any(array(?))', [
      ids,
    ]);
  }

  /** The entries of blogs that match the criteria. */
  entries({ websiteId, categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): Knex.QueryBuilder {
    const rows = this.#shownRowsOf('blog_entries').modify(ofWebsite, websiteId);
    if (categorySlug !== null) rows.whereRaw('category_slugs @> array[?]::text[]', [categorySlug]);
    if (tagSlug !== null) rows.whereRaw('tag_slugs @> array[?]::text[]', [tagSlug]);
    if (foldedTitlePart !== null) rows.modify(withTitlePart, foldedTitlePart);
    return rows;
  }

  /**
   * The entries of blogs with a text in their titles. The index on titles is not asked for the organization: it would go through all of its
   * blogs.
   */
  entriesByTitle(foldedTitlePart: string): Knex.QueryBuilder {
    return this.#onlyShown(this.#rowsOf('blog_entries', NOT_BY_INDEX), 'blog_entries').modify(
      withTitlePart,
      foldedTitlePart,
    );
  }

  /** Packs of titles, of one website if `websiteId` is given: see 0016_title_packs.sql. */
  packs(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('title_packs').modify(ofWebsite, websiteId);
  }

  /** The counts of each pack of titles: see 0021_pack_counts.sql. */
  packCounts(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('pack_counts').modify(ofWebsite, websiteId);
  }

  /** The pack of a row of counts, for use within a query for counts. */
  packOfCounts(): Knex.QueryBuilder {
    return this.#rowsOf('title_packs').whereRaw(
      '(title_packs.website_id, title_packs.pack) = (pack_counts.website_id, pack_counts.pack)',
    );
  }

  /** The entries of a list, from rows that an index has in the order of the list. */
  entriesOfList(criteria: BlogCriteria): Knex.QueryBuilder {
    const { term } = listOf(criteria);
    if (term === ANY) return this.blogs(criteria.websiteId);
    return this.#shownRowsOf('term_entries').where({ term }).modify(ofWebsite, criteria.websiteId);
  }

  /** Websites of which the organization still has rows, but which no longer belong to it: see 0009_hidden_websites.sql. */
  hiddenWebsites(): Knex.QueryBuilder {
    return this.#rowsOf('hidden_websites');
  }

  /** Counts of the hidden blogs in this list. The websites are an array and not a join: a join might read all blocks first. */
  hiddenListCounts(criteria: BlogCriteria): Knex.QueryBuilder {
    const { website, term } = listOf(criteria);
    const hidden = this.hiddenWebsites().select(this.database.raw(`'=' || website_id`));
    const blocks = this.#rowsOf('blog_list_counts')
      .where({ term })
      .whereRaw('website = any (array(?))', [hidden]);
    return website === ANY ? blocks : blocks.where({ website });
  }

  /** How many blogs a list has, and where: see 0004_blog_shelves.sql, also for the names of lists. */
  listCounts(criteria: BlogCriteria): Knex.QueryBuilder {
    return this.#rowsOf('blog_list_counts').where(listOf(criteria));
  }

  /** Of one website if `websiteId` is given. */
  categories(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('categories').modify(ofWebsite, websiteId);
  }

  /** Of one website if `websiteId` is given. */
  tags(websiteId: string | null): Knex.QueryBuilder {
    return this.#shownRowsOf('tags').modify(ofWebsite, websiteId);
  }

  /** A column with the organization's generation in the snapshot of the statement. */
  generation(): Knex.Raw {
    return this.database.raw(GENERATION, [this.organizationId]);
  }

  /**
   * These rows, each with the generation from the same snapshot. If there are none, one row with the generation and null columns. That
   * case needs a join, which takes longer to plan than a column, so it is left to a second statement.
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

  #shownRowsOf(table: string): Knex.QueryBuilder {
    return this.#onlyShown(this.#rowsOf(table), table);
  }

  /**
   * A materialized list: for a join, the planner would guess how many rows are hidden, which is almost always none. For a bare `<> all` of
   * an unknown list, it would estimate that no row of an organization with one website remains; for `coalesce` it estimates half.
   */
  #onlyShown(rows: Knex.QueryBuilder, table: string): Knex.QueryBuilder {
    return rows.whereRaw('coalesce(?? <> all (array(?)), true)', [
      `${table}.website_id`,
      this.hiddenWebsites().select('website_id'),
    ]);
  }

  #rowsOf(table: string, ofOrganization = '"organization_id" = ?'): Knex.QueryBuilder {
    return this.database
      .withSchema('content_read')
      .from(table)
      .whereRaw(ofOrganization, [this.organizationId])
      .timeout(QUERY_TIMEOUT_MS);
  }
}

/**
 * A column with the terms of a blog, without those of hidden websites. While any website is hidden, terms of other organizations are left
 * out too: a term may have moved to another website since.
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

function listOf({ websiteId, categorySlug, tagSlug }: BlogCriteria) {
  const website = websiteId === null ? ANY : `=${websiteId}`;
  const category = categorySlug === null ? ANY : `category=${categorySlug}`;
  return { website, term: tagSlug === null ? category : `tag=${tagSlug}` };
}

function ofWebsite(rows: Knex.QueryBuilder, websiteId: string | null): void {
  if (websiteId !== null) rows.where('website_id', websiteId);
}

/** `%`, `_` and `\\` have no special meaning in a caller's search text. */
export function withTitlePart(rows: Knex.QueryBuilder, part: string): void {
  rows.whereLike('folded_title', `%${part.replace(/[\\%_]/g, '\\$&')}%`);
}
