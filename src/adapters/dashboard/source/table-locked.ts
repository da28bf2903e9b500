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

/** PostgreSQL's and MySQL's codes for a lock that was not granted in time. */
const LOCK_NOT_GRANTED = ['55P03', 'ER_LOCK_WAIT_TIMEOUT'];

export function isLocked(error: unknown): boolean {
  return LOCK_NOT_GRANTED.includes((error as { code?: string }).code ?? '');
}

export async function retryWhileLocked(table: string, attempt: () => PromiseLike<unknown>): Promise<void> {
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
