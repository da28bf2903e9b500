import { expect } from 'chai';
import fc from 'fast-check';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { SettledSync } from '../../support/sync/settled-sync.js';
import type { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { engineOf, HISTORY_DASHBOARDS } from '../support/histories/history-dashboards.js';
import {
  BULK_INSERTIONS,
  bulkInsertion,
  STATEMENTS,
  type StatementName,
} from '../support/histories/history-statements.js';
import { begin, type History, HistoryRun, history, sessionOn } from '../support/histories/sync-history.js';
import { SteppedWorker } from '../support/sync/stepped-worker.js';

/**
 * Within so many calls of ports, an edit is shown. A batch, or a step of a job, takes about ten. A moved website needs
 * about 20 steps, and waits for the jobs that are older than its own.
 */
const MAX_CALLS = 1_000;
const CALLS = 10;

/** An edit behind what a statement of another tenant has changed. */
const waiting = fc.record({
  rows: fc.integer({ min: 300, max: 800 }),
  bulk: fc.constantFrom(...BULK_INSERTIONS),
  edit: fc.constantFrom(
    { statement: `update blogs set title = 'Edited' where id = 'b1'`, shown: `title = 'Edited'` },
    { statement: `update tags set name = 'z' where id = 't1'`, shown: `tags::text like '%"z"%'` },
    {
      statement: `update websites set organization_id = 'o0' where id = 'w1'`,
      shown: `organization_id = 'o0'`,
    },
  ),
  /** Calls before the edit. */
  headStart: fc.integer({ min: 1, max: 50 }),
});
type Waiting = typeof waiting extends fc.Arbitrary<infer Value> ? Value : never;

/** A run that takes longer hangs. */
const MAX_RUN_MS = 120_000;
/**
 * How long a failing history is shrunk. The shortest one that still fails is printed, with the seed that repeats it.
 */
const SHRINK_MS = 30_000;
/** The length of the longest list from which a statement takes one item. More of them reach each spelling of an id. */
const VARIANTS = 13;
/** After these, the rows that the next statements would change may be gone. */
const LEAVES_LITTLE: readonly StatementName[] = [
  'change id',
  'change many',
  'change table',
  'delete',
  'truncate',
];
const FIRES_NO_TRIGGER: readonly StatementName[] = ['change table', 'truncate'];

interface Dashboard {
  readonly name: string;
  /** The number of histories. */
  readonly runs: number;
  create(context: Mocha.Context): Promise<SyncedDatabases>;
}

const DASHBOARDS: readonly Dashboard[] = [
  { name: 'on PostgreSQL', runs: 10, create: HISTORY_DASHBOARDS.postgres.create },
  { name: 'on MariaDB', runs: 5, create: HISTORY_DASHBOARDS.mysql.create },
];

for (const { name, runs, create } of DASHBOARDS) {
  describe(`Whatever a dashboard ${name} does,`, function () {
    // Only a failing history takes long, because it is shrunk.
    this.timeout(0);
    let databases: SyncedDatabases;

    before(async function () {
      databases = await create(this);
      await HistoryRun.keepFilled(databases);
    });

    after(async () => {
      await databases?.close();
    });

    it('and however workers die, the read tables have its content once all work is done, and so have websites that are told', async () => {
      let namedMessages = 0;
      let firstFailureAt: number | null = null;
      const isAsHistoryWants = async (lived: History): Promise<void> => {
        if (firstFailureAt !== null && performance.now() - firstFailureAt > SHRINK_MS) return;
        const run = new HistoryRun(databases);
        try {
          await run.run(lived);
        } catch (error) {
          firstFailureAt ??= performance.now();
          if (error instanceof Error) error.message += `\nThe operations of this history:\n${run.journal}`;
          throw error;
        } finally {
          namedMessages += run.namedMessages;
          await run.close();
        }
      };
      const numRuns = fc.readConfigureGlobal().numRuns ?? runs;
      await fc.assert(fc.asyncProperty(history, isAsHistoryWants), { numRuns, timeout: MAX_RUN_MS });
      expect(namedMessages, 'messages that name what changed').to.be.above(numRuns);
    });

    it('an edit waits for a few steps of the worker, however much of another tenant waits', async () => {
      const isSoonShown = async ({ rows, bulk, edit, headStart }: Waiting): Promise<void> => {
        await begin(databases, true);
        const worker = new SteppedWorker(databases);
        try {
          await databases.dashboard.raw(bulkInsertion(bulk, rows));
          await worker.continueFor(headStart);
          await databases.dashboard.raw(edit.statement);
          const shown = `select id from content_read.blogs where id = 'b1' and ${edit.shown}`;
          for (let calls = 0; (await databases.readTables.raw(shown)).rows.length === 0; calls += CALLS) {
            expect(calls, 'calls of the worker').to.be.below(MAX_CALLS);
            await worker.continueFor(CALLS);
          }
        } finally {
          await worker.die();
        }
      };
      const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? runs) / 2);
      await fc.assert(fc.asyncProperty(waiting, isSoonShown), { numRuns });
    });

    /**
     * In a history, the rows that one change should have affected are often read again because of another change or
     * of a first fill. Here the sync finishes after each change and does not reconcile, so a missed row stays as it was.
     */
    it('each change is applied without help from other changes', async () => {
      const statements = STATEMENTS[engineOf(databases)];
      const session = await sessionOn(databases);
      const sync = await SettledSync.open(databases);
      try {
        for (const what of Object.keys(statements) as StatementName[]) {
          for (let n = 0; n < VARIANTS; n++) {
            if (n === 0 || LEAVES_LITTLE.includes(what)) await begin(databases, true);
            const statement = statements[what](37 * n, 7 * n + 3, 11 * n + 5);
            const done = await session.change(statement);
            const expectPresent = async () => {
              await sync.settle();
              expect(await databases.present(), done).to.deep.equal(await databases.expected());
            };
            if (!FIRES_NO_TRIGGER.includes(what)) await expectPresent();
            // MariaDB has whole seconds: a look within the second of two changes does not tell them apart.
            else
              await eventually(async () => {
                await sync.checkCapture();
                await expectPresent();
              });
          }
        }
      } finally {
        await session.close();
        await sync.close();
      }
    });
  });
}
