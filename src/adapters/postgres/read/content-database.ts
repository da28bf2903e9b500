import type { Knex } from 'knex';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

/** A row with its organization's generation from the same snapshot of the database. */
export interface DatedRow {
  readonly generation: string;
}

/** Without any content, there is one row with only the generation. */
export type Dated<Row> = DatedRow & (Row | { readonly id: null });

/** The servers from which content is read. */
export interface ContentDatabase {
  /**
   * At least one row, all from one snapshot, at `snapshot.since` or later if any server has that.
   */
  rows<Row extends DatedRow>(
    ask: (database: Knex) => PromiseLike<readonly Row[]>,
    snapshot: Snapshot,
  ): Promise<readonly Row[]>;
}

/** Its address may lead to a standby, which lacks the last writes. */
export class PrimaryContent implements ContentDatabase {
  constructor(private readonly database: Knex) {}

  async rows<Row extends DatedRow>(
    ask: (database: Knex) => PromiseLike<readonly Row[]>,
    snapshot: Snapshot,
  ): Promise<readonly Row[]> {
    const rows = await ask(this.database);
    snapshot.shows(generationOf(rows));
    return rows;
  }
}

export function generationOf([first]: readonly DatedRow[]): number {
  if (first === undefined) throw new Error('A statement that reads content returned no generation');
  return Number(first.generation);
}

export function isFound<Row extends { readonly id: string | null }>(
  row: Row,
): row is Extract<Row, { readonly id: string }> {
  return row.id !== null;
}

/** Names the organization right after each table: a test reads it there. */
export interface ContentStatement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, string | number | readonly string[]>>;
}

/** An array, which PostgreSQL reads first. Of a join it would guess how many rows are left. */
export const OF_SHOWN_WEBSITES = `coalesce(website_id <> all (array(
  select website_id from content_read.hidden_websites where organization_id = :organizationId)), true)`;

/** As text: Knex takes as long to build this column as PostgreSQL takes to read it. */
export const GENERATION = `coalesce((select generation from content_read.organizations where organization_id = :organizationId), 0)`;

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

  /**
   * Each row with the generation of its snapshot; if there is none, one row of nulls. That takes a
   * join, which takes longer to plan, so it is a second statement.
   */
  async dated<Row>(rows: Knex.QueryBuilder): Promise<readonly Dated<Row>[]> {
    const generation = this.database.raw(GENERATION, { organizationId: this.organizationId });
    const datedRows: readonly Dated<Row>[] = await rows.select({ generation });
    if (datedRows.length > 0) return datedRows;
    return this.database
      .select('content.*', 'snapshot.generation')
      .from(this.database.select({ generation }).as('snapshot'))
      .leftJoin(rows.as('content'), this.database.raw('true'))
      .timeout(QUERY_TIMEOUT_MS);
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
