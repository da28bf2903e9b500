import { expect } from 'chai';
import { WorkerConnection } from '../../src/adapters/postgres/worker-connection.js';
import type { Dashboard, Tenant } from '../support/dashboard.js';
import { eventually } from '../support/eventually.js';
import { expectedReadModel, readModel } from '../support/expected-read-model.js';
import { type DashboardTraffic, editShown } from './dashboard-traffic.js';
import type { ApiCaller, ObservedApi } from './observed-api.js';

/** What is to be seen everywhere soon after nothing is broken any more and nothing changes. */
export class Mending {
  readonly #source: WorkerConnection;
  readonly #readTables: WorkerConnection;

  constructor(
    dashboard: Dashboard,
    private readonly apis: readonly ObservedApi[],
    private readonly tenants: readonly Tenant[],
    private readonly traffic: DashboardTraffic,
  ) {
    this.#source = new WorkerConnection(dashboard.writeDatabaseUrl, 'test');
    this.#readTables = new WorkerConnection(dashboard.readDatabaseUrl, 'test');
  }

  /** Throws what is still wrong at the deadline. */
  async expectAll(revoked: readonly ApiCaller[], withinMs: number): Promise<void> {
    await eventually(async () => {
      await Promise.all(this.apis.map((api) => this.#expectOf(api, revoked)));
      const [expected, present] = await Promise.all([
        expectedReadModel(this.#source.database),
        readModel(this.#readTables.database),
      ]);
      expect(present).to.deep.equal(expected);
    }, withinMs);
  }

  async close(): Promise<void> {
    await Promise.all([this.#source.close(), this.#readTables.close()]);
  }

  async #expectOf(api: ObservedApi, revoked: readonly ApiCaller[]): Promise<void> {
    for (const tenant of this.tenants) {
      const answer = await api.get(tenant, '/api/v1/blogs');
      const what = `${api.name}, ${tenant.organizationId}`;
      expect(answer?.status, what).to.equal(200);
      expect(editShown(answer?.text ?? ''), what).to.equal(this.traffic.newestEdit(tenant));
    }
    for (const caller of revoked) {
      const answer = await api.get(caller, '/api/v1/blogs');
      expect(answer?.status, `${api.name}, a revoked key of ${caller.organizationId}`).to.equal(401);
    }
  }
}
