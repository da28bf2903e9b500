import { WorkerConnection } from '../../../src/adapters/postgres/connection/worker-connection.js';
import { expectedReadModel, type ReadModelDump } from '../../support/sync/expected-read-model.js';
import type { DashboardDatabase } from './dashboard-database.js';
import { RetryingDatabase } from './retrying-database.js';

export class PostgresDashboard extends RetryingDatabase implements DashboardDatabase {
  readonly #source: WorkerConnection;

  constructor(url: string) {
    super(url);
    this.#source = new WorkerConnection(url, 'test');
  }

  async insertKey(id: string, organizationId: string, hash: string, expiresAt: Date | null): Promise<void> {
    await this.query(
      `insert into api_keys (id, organization_id, key_hash, expires_at) values ($1, $2, $3, $4)
       on conflict (id) do nothing`,
      [id, organizationId, hash, expiresAt],
    );
  }

  expectedReadModel(): Promise<ReadModelDump> {
    return expectedReadModel(this.#source.database);
  }

  waitingChanges(): Promise<unknown> {
    return this.query('select kind, count(*) as changes from content_sync.change_queue group by kind');
  }

  override async end(): Promise<void> {
    await Promise.all([super.end(), this.#source.close()]);
  }
}
