import { expect } from 'chai';
import fc from 'fast-check';
import type { SyncedDatabases } from '../../../support/sync/synced-databases.js';
import { MysqlSyncedDatabases } from '../dashboards/mysql-synced-databases.js';
import { SteppedWorker } from '../sync/stepped-worker.js';
import { DashboardSession, type SessionControl } from './dashboard-session.js';
import { beginningOn, type Engine, STATEMENTS, type StatementName } from './history-statements.js';

const SESSIONS = 3;
/** More workers than can fail in one history, because of closed connections and of locks of the dashboard. */
const MAX_WORKERS = 5;

type WorkerControl = keyof typeof WORKER_CONTROLS | 'rebuild is requested';

interface Operation {
  readonly do: StatementName | WorkerControl | SessionControl;
  /** The number of the dashboard's session. */
  readonly on: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export interface History {
  /** Whether the first fill has finished when the history begins. */
  readonly isFilled: boolean;
  readonly operations: readonly Operation[];
}

/** The frequency of each control; a statement has 2. */
const WORKER_CONTROLS = {
  'worker continues': 22,
  'worker dies': 2,
  'worker is replaced': 3,
  'former worker continues': 2,
  'connections of workers end': 1,
  rest: 2,
};
const SESSION_CONTROLS: Readonly<Record<SessionControl, number>> = {
  begin: 5,
  savepoint: 2,
  'roll back to savepoint': 2,
  commit: 6,
  'roll back': 2,
};
/** A rebuild repairs everything that was missed before it, and could hide a fault. */
const SELDOM = 1;
const WEIGHTS = [
  ...Object.keys(STATEMENTS.postgres).map((name) => [name, name === 'truncate' ? SELDOM : 2] as const),
  ...Object.entries({ ...WORKER_CONTROLS, ...SESSION_CONTROLS, 'rebuild is requested': SELDOM }),
] as readonly (readonly [Operation['do'], number])[];

const small = fc.nat(999);
const operation: fc.Arbitrary<Operation> = fc.record({
  do: fc.oneof(...WEIGHTS.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) }))),
  on: fc.nat(SESSIONS - 1),
  a: small,
  b: small,
  c: small,
});

export const history: fc.Arbitrary<History> = fc.record({
  isFilled: fc.nat(3).map((n) => n > 0),
  operations: fc.array(operation, { minLength: 30, maxLength: 50, size: 'max' }),
});

/** Creates the rows at the start of every history; with `isFilled`, the first fill has finished. */
export async function begin(databases: SyncedDatabases, isFilled: boolean): Promise<void> {
  await databases.empty();
  for (const statement of beginningOn(engineOf(databases))) {
    await databases.dashboard.raw(statement);
  }
  if (isFilled) await databases.fill();
}

export function engineOf(databases: SyncedDatabases): Engine {
  return databases instanceof MysqlSyncedDatabases ? 'mysql' : 'postgres';
}

/** A session of an editor. */
export function sessionOn(databases: SyncedDatabases): Promise<DashboardSession> {
  return DashboardSession.open(
    databases instanceof MysqlSyncedDatabases ? databases.dashboardUrl : databases.writeDatabaseUrl,
  );
}

/** Runs a history, and expects the correct read model at each rest. */
export class HistoryRun {
  #sessions: readonly DashboardSession[] = [];
  readonly #workers: SteppedWorker[] = [];
  #worker: SteppedWorker;
  /** These have lost leadership in the middle of a step, and have not detected it. */
  #former: SteppedWorker[] = [];

  constructor(private readonly databases: SyncedDatabases) {
    this.#worker = this.#newWorker();
  }

  /** Called once, for all histories that begin after the first fill. */
  static async keepFilled(databases: SyncedDatabases): Promise<void> {
    const run = new HistoryRun(databases);
    try {
      await run.run({ isFilled: false, operations: [] });
      await databases.keep();
    } finally {
      await run.close();
    }
  }

  async run({ isFilled, operations }: History): Promise<void> {
    this.#sessions = await Promise.all(Array.from({ length: SESSIONS }, () => sessionOn(this.databases)));
    await begin(this.databases, isFilled);
    for (const each of operations) await this.#live(each);
    await this.#rest();
  }

  /** Closes all sessions and workers, even after a failure. */
  async close(): Promise<void> {
    for (const session of this.#sessions) await session.close();
    for (const worker of this.#workers) await worker.die();
  }

  /** The operations, one a line, for a person to read. */
  get journal(): string {
    return this.#journal.join('\n');
  }
  readonly #journal: string[] = [];

  async #live({ do: what, on, a, b, c }: Operation): Promise<void> {
    const session = this.#sessions[on] as DashboardSession;
    const statements = STATEMENTS[engineOf(this.databases)];
    const note = (done: string) => this.#journal.push(`session ${on}: ${done}`);
    if (what in statements) {
      note(await session.change(statements[what as StatementName](a, b, c)));
    } else if (what in this.#workerControls) {
      this.#journal.push(what);
      await this.#workerControls[what as WorkerControl](a);
    } else {
      note(await session.control(what as SessionControl, a));
    }
  }

  readonly #workerControls: Readonly<Record<WorkerControl, (choice: number) => Promise<void>>> = {
    'worker continues': async (choice) => {
      await this.#presentWorker();
      await this.#worker.continueFor(1 + (choice % 40));
    },
    'worker dies': () => this.#worker.die(),
    'worker is replaced': async () => {
      this.#worker.replaced();
      this.#former.push(this.#worker);
      this.#worker = this.#newWorker();
      await this.#worker.continueFor(1);
    },
    'former worker continues': async () => this.#former.shift()?.end(),
    'connections of workers end': () => this.databases.endWorkerConnections(),
    'rebuild is requested': () => this.databases.requestEverything(),
    rest: () => this.#rest(),
  };

  async #rest(): Promise<void> {
    for (const session of this.#sessions) await session.rest();
    for (const worker of this.#former.splice(0)) await worker.end();
    for (let workers = 0; workers < MAX_WORKERS; workers++) {
      await this.#presentWorker();
      await this.#worker.finish();
      if (!this.#worker.isOver) break;
    }
    const { databases } = this;
    expect(await databases.present(), 'the read tables').to.deep.equal(await databases.expected());
    expect(await databases.queueLength(), 'changes in the queue').to.equal(0);
    const unfinished = (await databases.unfinishedJobs()).map(({ scope }) => scope);
    expect(unfinished, 'unfinished jobs').to.deep.equal(['check']);
    expect(await databases.repairs(), 'repairs').to.equal(0);
  }

  async #presentWorker(): Promise<void> {
    if (!this.#worker.isOver) return;
    await this.#worker.end();
    this.#worker = this.#newWorker();
  }

  #newWorker(): SteppedWorker {
    const worker = new SteppedWorker(this.databases);
    this.#workers.push(worker);
    return worker;
  }
}
