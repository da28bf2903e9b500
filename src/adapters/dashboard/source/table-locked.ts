import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 300;
const ATTEMPTS = 3;

/** Another session keeps a table of the dashboard locked. */
export class TableLocked extends Error {
  override readonly name = 'TableLocked';

  constructor(table: string) {
    super(
      `Change capture: ${table} in the dashboard's database is in use by a long transaction. Its triggers cannot ` +
        'be installed without delaying the dashboard: run this command again when the transaction has ended. Installed triggers stay.',
    );
  }
}

/** `isLocked`: whether a lock was not granted in time. */
export async function retryWhileLocked(
  table: string,
  isLocked: (error: unknown) => boolean,
  attempt: () => PromiseLike<unknown>,
): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return void (await attempt());
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (n === ATTEMPTS) throw new TableLocked(table);
    }
    await pause(PAUSE_MS);
  }
}
