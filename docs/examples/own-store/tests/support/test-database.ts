import { randomUUID } from 'node:crypto';
import { Database } from '../../src/adapters/mariadb/database.js';
import { migrate } from '../../src/adapters/mariadb/migrate.js';

const SERVER = process.env.MARIADB_URL ?? '';
if (SERVER === '') {
  throw new Error(
    'MARIADB_URL is missing: the address of a MariaDB for tests, such as mysql://root:secret@127.0.0.1:3306',
  );
}

/** Settings that no team would use: nothing may depend on the settings of a database. */
const HOSTILE = 'character set latin1 collate latin1_german2_ci';

/** An empty read model in a separate database on the server of MARIADB_URL. */
export class TestDatabase {
  private constructor(
    readonly url: string,
    private readonly name: string,
  ) {}

  static async create(): Promise<TestDatabase> {
    const name = `own_store_test_${randomUUID().replaceAll('-', '')}`;
    await onServer((server) => server.execute(`create database ${name} ${HOSTILE}`));
    const url = new URL(SERVER);
    url.pathname = name;
    await migrate(url.href);
    return new TestDatabase(url.href, name);
  }

  async drop(): Promise<void> {
    await onServer((server) => server.execute(`drop database ${this.name}`));
  }
}

async function onServer(work: (server: Database) => Promise<unknown>): Promise<void> {
  const server = Database.forWorker(SERVER);
  await work(server).finally(() => server.close());
}
