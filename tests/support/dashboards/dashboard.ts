import { createHash } from 'node:crypto';
import { namePrefix } from '../../../src/adapters/redis/connection/key-names.js';
import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { INSTALLATION } from '../../../src/adapters/sql/postgres/server-identity.js';
import { DASHBOARD_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { catchUp } from '../../../src/programs/sync/sync-once.js';
import { createCapturedDashboard, createReadTables } from '../postgres/migrated-databases.js';
import { runSql } from '../postgres/run-sql.js';

/** An organization with a key and a blog. */
export interface Tenant {
  readonly organizationId: string;
  readonly keyId: string;
  readonly key: string;
  readonly blogId: string;
}

function tenantsNumbered(count: number): Tenant[] {
  return Array.from({ length: count }, (_, n) => ({
    organizationId: `org_${n}`,
    keyId: `key_${n}`,
    key: `secret-key-of-org-${n}`,
    blogId: `blog_${n}`,
  }));
}

/** A dashboard's database and the read tables that `sync` fills from it. */
export class Dashboard {
  readonly #tenants: Tenant[];

  private constructor(
    readonly writeDatabaseUrl: string,
    readonly readDatabaseUrl: string,
    tenants: number,
  ) {
    this.#tenants = tenantsNumbered(tenants);
  }

  /** Uses the given databases, which have to be empty, or creates them on the PostgreSQL of this test run. */
  static async create(
    tenants: number,
    given: { readonly writeDatabaseUrl?: string; readonly readDatabaseUrl?: string } = {},
  ): Promise<Dashboard> {
    const dashboard = new Dashboard(
      given.writeDatabaseUrl ?? (await createCapturedDashboard()),
      given.readDatabaseUrl ?? (await createReadTables()),
      tenants,
    );
    if (Object.keys(given).length > 0) {
      await migrateDatabase(dashboard.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
      await migrate(dashboard, () => {});
    }
    await dashboard.#fill();
    await dashboard.sync();
    return dashboard;
  }

  /** A tenant that no other test has used. */
  tenant(): Tenant {
    const tenant = this.#tenants.pop();
    if (tenant === undefined) throw new Error('All tenants of the dashboard are in use');
    return tenant;
  }

  async sql(text: string, values?: readonly unknown[]): Promise<void> {
    await runSql(this.writeDatabaseUrl, text, values);
  }

  async rename({ blogId }: Tenant, title: string): Promise<void> {
    await this.sql('update blogs set title = $1 where id = $2', [title, blogId]);
  }

  async revokeKeyOf({ keyId }: Tenant): Promise<void> {
    await this.sql('update api_keys set revoked_at = now() where id = $1', [keyId]);
  }

  /** The prefix of all names of this installation in Redis. */
  async namesInRedis(): Promise<string> {
    const [row] = await runSql<{ identity: string }>(
      this.readDatabaseUrl,
      `select (${INSTALLATION}) as identity`,
    );
    return namePrefix(row?.identity ?? '');
  }

  /** Does what `sync --once` does, without starting a program. */
  async sync(): Promise<void> {
    const { writeDatabaseUrl, readDatabaseUrl } = this;
    await catchUp({
      writeDatabaseUrl,
      readDatabaseUrl,
      syncPollMs: 10,
      webhooks: [],
      logLevel: 'silent',
      logPretty: false,
    });
  }

  /** Inserts organizations with one website, key and published blog each. */
  async #fill(): Promise<void> {
    const rows = JSON.stringify(
      this.#tenants.map((each) => ({ ...each, hash: createHash('sha256').update(each.key).digest('hex') })),
    );
    const insert = (into: string, select: string) =>
      this.sql(`insert into ${into} select ${select} from json_array_elements($1) as tenant`, [rows]);
    const organization = "tenant->>'organizationId'";
    await insert('organizations (id, name)', `${organization}, ${organization}`);
    await insert(
      'websites (id, organization_id, name)',
      `'web of ' || (${organization}), ${organization}, ''`,
    );
    await insert(
      'api_keys (id, organization_id, key_hash)',
      `tenant->>'keyId', ${organization}, tenant->>'hash'`,
    );
    await insert(
      'blogs (id, website_id, title, slug, status, published_at)',
      `tenant->>'blogId', 'web of ' || (${organization}), 'First title', tenant->>'blogId', 'published', now()`,
    );
  }
}
