import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { connectWorker } from '../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../src/adapters/sql/worker-connection.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import { expectedReadModel, readModel } from '../../support/sync/expected-read-model.js';
import type { Company } from './chaos.js';
import { editShown } from './dashboard-traffic.js';
import type { KeptProgram } from './kept-program.js';
import type { ApiCaller, ObservedApi } from './observed-api.js';

/** These requests count against the limits of the tenants, whose readers must stay below them. */
const POLL_MS = 250;

/** What every part has to show soon after the last fault, while nothing changes. */
export class Recovery {
  readonly #dashboard: WorkerConnection;
  readonly #readTables: WorkerConnection;

  constructor(
    private readonly company: Company,
    private readonly tenants: readonly Tenant[],
  ) {
    const { writeDatabaseUrl, readDatabaseUrl } = company.installation.dashboard;
    this.#dashboard = connectWorker(writeDatabaseUrl, 'test');
    this.#readTables = connectWorker(readDatabaseUrl, 'test');
  }

  /** At the deadline, throws what is still wrong. */
  async expectAll(revoked: readonly ApiCaller[], withinMs: number): Promise<void> {
    const { apis, programs } = this.company.installation;
    const edits = await this.company.traffic.newestEdits();
    // Each expectation is awaited separately: on a slow computer it may take long until all hold at the same moment.
    const expectations = await Promise.allSettled([
      ...apis.map((api) => eventually(() => this.#expectOf(api, edits, revoked), withinMs)),
      ...programs.map((program) => eventually(() => expectReady(program), withinMs)),
      eventually(() => this.#expectReadModel(), withinMs),
    ]);
    const wrong = expectations.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    if (wrong.length > 0) throw new Error([...wrong, await this.#waiting()].join('\n'));
  }

  async close(): Promise<void> {
    await Promise.all([this.#dashboard.close(), this.#readTables.close()]);
  }

  /** The work that the workers have not done yet. */
  async #waiting(): Promise<string> {
    const work = await this.#readTables.database
      .withSchema('content_read')
      .from('sync_jobs')
      .whereNull('finished_at')
      .select('id', 'scope', 'progress', 'attempts', 'last_error');
    const changes = await this.company.traffic.waitingChanges();
    return `unfinished work: ${JSON.stringify(work)}, queue: ${JSON.stringify(changes)}`;
  }

  async #expectReadModel(): Promise<void> {
    const [expected, present] = await Promise.all([
      expectedReadModel(this.#dashboard.database),
      readModel(this.#readTables.database),
    ]);
    expect(present).to.deep.equal(expected);
  }

  async #expectOf(api: ObservedApi, edits: ReadonlyMap<string, number>, revoked: readonly ApiCaller[]) {
    await pause(POLL_MS);
    for (const tenant of this.tenants) {
      const answer = await api.get(tenant, '/api/v1/blogs');
      const what = `${api.name}, ${tenant.organizationId}`;
      expect(answer?.status, what).to.equal(200);
      expect(editShown(answer?.text ?? ''), what).to.equal(edits.get(tenant.blogId));
    }
    for (const caller of revoked) {
      const answer = await api.get(caller, '/api/v1/blogs');
      expect(answer?.status, `${api.name}, a revoked key of ${caller.organizationId}`).to.equal(401);
    }
  }
}

async function expectReady(program: KeptProgram): Promise<void> {
  const { status, checks } = await program.readiness();
  expect(status, `${program.name}: ${JSON.stringify(checks)}`).to.equal('ready');
}
