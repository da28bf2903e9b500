import { randomUUID } from 'node:crypto';
import pg from 'pg';

const SERVER = process.env.POSTGRES_URL ?? '';

/** An empty database for a dashboard, on the server of POSTGRES_URL. */
export class TestDashboard {
  private constructor(
    readonly url: string,
    private readonly name: string,
    private readonly client: pg.Client,
  ) {}

  static async create(): Promise<TestDashboard> {
    if (SERVER === '') {
      throw new Error(
        'POSTGRES_URL is missing: the address of a PostgreSQL for tests, such as postgres://postgres:secret@127.0.0.1:5432/postgres',
      );
    }
    const name = `own_store_test_${randomUUID().replaceAll('-', '')}`;
    await onServer(`create database ${name} encoding 'UTF8' template template0`);
    const url = new URL(SERVER);
    url.pathname = name;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    return new TestDashboard(url.href, name, client);
  }

  /** Writes like the dashboard itself. */
  async change(sql: string): Promise<void> {
    await this.client.query(sql);
  }

  async drop(): Promise<void> {
    await this.client.end();
    await onServer(`drop database ${this.name} with (force)`);
  }
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
