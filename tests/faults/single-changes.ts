import { expect } from 'chai';
import { STATEMENTS } from '../support/sync/history-statements.js';
import { SettledSync } from '../support/sync/settled-sync.js';
import { begin, sessionOn, statementsOf } from '../support/sync/sync-history.js';
import type { SyncedDatabases } from '../support/sync/synced-databases.js';

/** As many as the longest list of which a statement picks one. */
const VARIANTS = 13;
/** After these, what the next ones would change may be gone. */
const LEAVES_LITTLE = ['change id', 'change many', 'delete', 'truncate'];

/**
 * In a history, what one change should have touched is often read again because of another one, or because of a first fill. Here the sync comes
 * to rest after each change, and checks nothing: what the change does not touch stays as it was.
 */
export async function showEachChange(databases: SyncedDatabases): Promise<void> {
  const { statements } = statementsOf(databases);
  const session = sessionOn(databases);
  await session.open();
  const sync = await SettledSync.open(databases);
  try {
    for (const what of Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]) {
      for (let n = 0; n < VARIANTS; n++) {
        if (n === 0 || LEAVES_LITTLE.includes(what)) await begin(databases, true);
        const statement = statements[what](n, 7 * n + 3, 11 * n + 5);
        const done = await session.change(databases.inItsTables(statement));
        await sync.settle();
        expect(await databases.present(), done).to.deep.equal(await databases.expected());
      }
    }
  } finally {
    await session.close();
    await sync.close();
  }
}
