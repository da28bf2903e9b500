import fc from 'fast-check';
import { type History, HistoryRun, history } from '../support/sync/sync-history.js';
import type { SyncedDatabases } from '../support/sync/synced-databases.js';

/** One that takes longer hangs. */
const LONGEST_RUN_MS = 30_000;
/** How long a failing history is made shorter; the shortest that still fails is printed, with the seed that brings it back. */
const SHRINK_MS = 30_000;

export interface Dashboard {
  readonly name: string;
  /** How many histories. */
  readonly runs: number;
  create(context: Mocha.Context): Promise<SyncedDatabases>;
}

export function outlivesHistories({ name, runs, create }: Dashboard): void {
  describe(`Whatever the dashboard does ${name} and however workers die,`, function () {
    // It costs no time while all goes well: only a failing history has to be shrunk.
    this.timeout(0);
    let databases: SyncedDatabases;

    before(async function () {
      databases = await create(this);
      await HistoryRun.keepFilled(databases);
    });

    after(async () => {
      await databases?.close();
    });

    it('the read tables are what the dashboard holds, as soon as all is at rest', async () => {
      let firstFailureAt: number | null = null;
      const isAsHistoryWants = async (lived: History): Promise<void> => {
        if (firstFailureAt !== null && performance.now() - firstFailureAt > SHRINK_MS) return;
        const run = new HistoryRun(databases);
        try {
          await run.run(lived);
        } catch (error) {
          firstFailureAt ??= performance.now();
          if (error instanceof Error) error.message += `\nThis is what was done:\n${run.journal}`;
          throw error;
        } finally {
          await run.close();
        }
      };
      const numRuns = fc.readConfigureGlobal().numRuns ?? runs;
      await fc.assert(fc.asyncProperty(history, isAsHistoryWants), { numRuns, timeout: LONGEST_RUN_MS });
    });
  });
}
