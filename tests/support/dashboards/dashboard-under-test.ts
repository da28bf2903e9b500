import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { createDashboard } from '../postgres/migrated-databases.js';

/** A dashboard's database with the reference schema, without rows. */
export class DashboardUnderTest {
  private constructor(
    readonly url: string,
    readonly database: Knex,
  ) {}

  static async start(): Promise<DashboardUnderTest> {
    return DashboardUnderTest.at(await createDashboard());
  }

  static at(url: string): DashboardUnderTest {
    return new DashboardUnderTest(url, openDashboardDatabase(url));
  }

  async stop(): Promise<void> {
    await this.database.destroy();
  }

  async empty(): Promise<void> {
    await this.database.raw('truncate organizations cascade');
  }

  /** Creates two organizations, org_a and org_b, with a website each, web_a and web_b. */
  async putOwners(): Promise<void> {
    const { database } = this;
    await database('organizations').insert(
      ['a', 'b'].map((x) => ({ id: `org_${x}`, name: `Organization ${x}` })),
    );
    await database('websites').insert(
      ['a', 'b'].map((x) => ({ id: `web_${x}`, organization_id: `org_${x}`, name: `Website ${x}` })),
    );
  }

  async putBlog(given: Record<string, unknown> & { id: string }): Promise<void> {
    await this.database('blogs').insert({
      website_id: 'web_a',
      title: `Title of ${given.id}`,
      slug: `slug-of-${given.id}`,
      status: 'published',
      published_at: '2026-01-01T00:00:00Z',
      ...given,
    });
  }

  async putTerm(
    table: 'categories' | 'tags',
    given: Record<string, unknown> & { id: string },
  ): Promise<void> {
    const { id } = given;
    await this.database(table).insert({
      website_id: 'web_a',
      name: `Name of ${id}`,
      slug: `slug-of-${id}`,
      ...given,
    });
  }

  async putKey(given: Record<string, unknown> & { id: string }): Promise<void> {
    await this.database('api_keys').insert({
      organization_id: 'org_a',
      key_hash: `hash-of-${given.id}`,
      ...given,
    });
  }

  /** The code of the error with which PostgreSQL refuses a statement; null if it accepts the statement. */
  async refusalOf(sql: string): Promise<string | null> {
    try {
      await this.database.raw(sql);
      return null;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return String(error.code);
      throw error;
    }
  }

  /** All rows of the tables as ordered text: two dumps are equal if and only if nothing changed. */
  async dump(...tables: readonly string[]): Promise<readonly string[]> {
    return dumpOf(this.database, tables);
  }
}

export async function dumpOf(database: Knex, tables: readonly string[]): Promise<readonly string[]> {
  const dump: string[] = [];
  for (const table of tables) {
    const { rows }: { rows: { line: string }[] } = await database.raw(
      `select row_to_json(present)::text as line from ${table} as present order by row_to_json(present)::text collate "C"`,
    );
    dump.push(table, ...rows.map(({ line }) => line));
  }
  return dump;
}

export const DASHBOARD_TABLES = [
  'organizations',
  'websites',
  'blogs',
  'categories',
  'tags',
  'blog_categories',
  'blog_tags',
  'api_keys',
];
