import { expect } from 'chai';
import fc from 'fast-check';
import type { SyncedDatabases } from '../../../support/sync/synced-databases.js';
import { SteppedWorker } from '../sync/stepped-worker.js';
import { DashboardSession, type SessionControl } from './dashboard-session.js';
import {
  captureChanges,
  editorUrl,
  engineOf,
  HISTORY_DASHBOARDS,
  remakeDashboard,
} from './history-dashboards.js';
import { beginningOn, STATEMENTS, type StatementName } from './history-statements.js';
import { type Answer, ToldWebsites } from './told-websites.js';

const SESSIONS = 3;
const ANSWERS: readonly Answer[] = ['accepted', 'refused', 'lost'];
/** More workers than can fail in one history, because of closed connections and of locks of the dashboard. */
const MAX_WORKERS = 5;

type WorkerControl = keyof typeof WORKER_CONTROLS | (typeof SELDOM)[number];

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

/** The frequency of each control; a statement has 6. */
const WORKER_CONTROLS = {
  'worker continues': 66,
  'worker dies': 6,
  'worker is replaced': 9,
  'former worker continues': 6,
  'connections of workers end': 3,
  rest: 6,
  'websites are told': 15,
};
const SESSION_CONTROLS: Readonly<Record<SessionControl, number>> = {
  begin: 15,
  savepoint: 6,
  'roll back to savepoint': 6,
  commit: 18,
  'roll back': 6,
};
/** What has everything read again repairs what was missed before, and could hide a fault: each has 1. */
const SELDOM = [
  'rebuild is requested',
  'tables are swapped',
  'read tables are restored',
  'dashboard is restored',
] as const;
const WEIGHTS = [
  ...Object.keys(STATEMENTS.postgres).map(
    (name) => [name, name === 'truncate' || name === 'change table' ? 3 : 6] as const,
  ),
  ...Object.entries({ ...WORKER_CONTROLS, ...SESSION_CONTROLS }),
  ...SELDOM.map((name) => [name, 1] as const),
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
  await putBeginning(databases);
  if (isFilled) await databases.fill();
}

async function putBeginning(databases: SyncedDatabases): Promise<void> {
  for (const statement of beginningOn(engineOf(databases))) await databases.dashboard.raw(statement);
}

/** A session of an editor. */
export function sessionOn(databases: SyncedDatabases): Promise<DashboardSession> {
  return DashboardSession.open(editorUrl(databases));
}

/** Runs a history, and expects the correct read model at each rest. */
export class HistoryRun {
  #sessions: readonly DashboardSession[] = [];
  readonly #workers: SteppedWorker[] = [];
  #worker: SteppedWorker;
  /** These have lost leadership in the middle of a step, and have not detected it. */
  #former: SteppedWorker[] = [];
  #told: ToldWebsites;
  #isCaptured = true;
  #mayCheckRepair = false;

  constructor(private readonly databases: SyncedDatabases) {
    this.#worker = this.#newWorker();
    this.#told = new ToldWebsites(databases.readTables);
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
    await this.#told.begin();
    for (const each of operations) await this.#live(each);
    await this.#rest();
  }

  /** Closes all sessions and workers, even after a failure. */
  async close(): Promise<void> {
    for (const session of this.#sessions) await session.close();
    await this.#endWorkers();
    await this.#capture();
    if (!this.#journal.some((line) => line.includes('alter table'))) return;
    for (const statement of HISTORY_DASHBOARDS[engineOf(this.databases)].undo)
      await this.databases.dashboard.raw(statement);
  }

  /** How many messages named what had changed. */
  get namedMessages(): number {
    return this.#told.named;
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
      if (what === 'change table' || (what === 'truncate' && engineOf(this.databases) === 'mysql'))
        await this.#letCheckRepair();
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
    'tables are swapped': async () => {
      const { swapTables } = HISTORY_DASHBOARDS[engineOf(this.databases)];
      const session = await sessionOn(this.databases);
      const outcome = await session.change(swapTables).finally(() => session.close());
      this.#journal.push(outcome);
      if (outcome === swapTables) this.#isCaptured = false;
    },
    'read tables are restored': async () => {
      await this.#endWorkers();
      await this.databases.restoreReadTables();
      // They are gone from these tables: others are told of everything.
      this.#told = new ToldWebsites(this.databases.readTables);
    },
    'dashboard is restored': async () => {
      for (const session of this.#sessions) await session.rest();
      await this.#endWorkers();
      await remakeDashboard(this.databases);
      this.#isCaptured = true;
      await putBeginning(this.databases);
      await this.databases.emptyQueue();
    },
    rest: () => this.#rest(),
    'websites are told': (choice) => this.#told.tell(ANSWERS[choice % ANSWERS.length] as Answer),
  };

  async #endWorkers(): Promise<void> {
    for (const worker of this.#workers.splice(0)) await worker.die();
    this.#former = [];
  }

  /** As an operator does whom the worker has told that its capture is broken. */
  async #capture(): Promise<void> {
    if (this.#isCaptured) return;
    await captureChanges(editorUrl(this.databases));
    this.#isCaptured = true;
  }

  /** What fires no trigger, the next look at the capture notices, or the check if it comes first. */
  async #letCheckRepair(): Promise<void> {
    await this.#expectNoRepairs();
    this.#mayCheckRepair = true;
  }

  async #expectNoRepairs(): Promise<void> {
    if (!this.#mayCheckRepair) expect(await this.databases.repairs(), 'repairs').to.equal(0);
  }

  async #rest(): Promise<void> {
    for (const session of this.#sessions) await session.rest();
    for (const worker of this.#former.splice(0)) await worker.end();
    if (!this.#isCaptured) {
      await this.#worker.end();
      await this.#capture();
      this.#worker = this.#newWorker();
    }
    for (let workers = 0; workers < MAX_WORKERS; workers++) {
      await this.#presentWorker();
      await this.#worker.finish();
      if (!this.#worker.isOver) break;
    }
    const { databases } = this;
    expect(await databases.present(), 'the read tables').to.deep.equal(await databases.expected());
    expect(await databases.queueLength(), 'changes in the queue').to.equal(0);
    const unfinished = (await databases.unfinishedJobs()).map(({ scope }) => scope);
    expect(unfinished, 'unfinished jobs').to.deep.equal(['reconcile']);
    await this.#told.expectPresent();
    await this.#expectNoRepairs();
    await databases.forgetRepairs();
    this.#mayCheckRepair = false;
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
