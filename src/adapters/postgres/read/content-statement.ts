/** Written as Knex writes tables and organizations: a test counts them. */
export interface ContentStatement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, string | number | readonly string[]>>;
}

/** Not a join, for which the planner would guess how many rows are hidden. */
export const OF_SHOWN_WEBSITES = `coalesce(website_id <> all (array(
  select website_id from "content_read"."hidden_websites" where "organization_id" = :organizationId)), true)`;

/** As text: Knex takes as long to build this column as PostgreSQL takes to read it. */
export const GENERATION = `coalesce((select generation from "content_read"."organizations" where "organization_id" = :organizationId), 0)`;
