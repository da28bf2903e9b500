/** A statement with named bindings. Tables and organizations are written as Knex writes them: a test counts them. */
export interface ContentStatement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, string | number | readonly string[]>>;
}

/**
 * Leaves out rows of hidden websites. A materialized list: for a join, the planner would guess how many rows are hidden, which is almost
 * always none.
 */
export const OF_SHOWN_WEBSITES = `coalesce(website_id <> all (array(
  select website_id from "content_read"."hidden_websites" where "organization_id" = :organizationId)), true)`;

/** As text: Knex takes as long to build this column as PostgreSQL takes to read it. */
export const GENERATION = `coalesce((select generation from "content_read"."organizations" where "organization_id" = :organizationId), 0)`;
