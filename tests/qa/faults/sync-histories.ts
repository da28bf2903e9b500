import fc from 'fast-check';
import type { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { type History, HistoryRun, history } from '../support/histories/sync-history.js';

/** A run that takes longer hangs. */
const MAX_RUN_MS = 30_000;
/**
 * How long a failing history is shrunk. The shortest one that still fails is printed, with the seed that repeats it.
 */
const SHRINK_MS = 30_000;

export interface Dashboard {
  readonly name: string;
  /** The number of histories. */
  readonly runs: number;
  create(context: Mocha.Context): Promise<SyncedDatabases>;
}

export function outlivesHistories({ name, runs, create }: Dashboard): void {
  describe(`Whatever a dashboard ${name} does and however workers die,`, function () {
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

    it('the read tables have the content of the dashboard once all work is done', async () => {
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
          await run.close();
        }
      };
      const numRuns = fc.readConfigureGlobal().numRuns ?? runs;
      await fc.assert(fc.asyncProperty(history, isAsHistoryWants), { numRuns, timeout: MAX_RUN_MS });
    });
  });
}
