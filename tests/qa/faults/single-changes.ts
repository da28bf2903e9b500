import { expect } from 'chai';
import { SettledSync } from '../../support/sync/settled-sync.js';
import type { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { STATEMENTS } from '../support/histories/history-statements.js';
import { begin, sessionOn, statementsOf } from '../support/histories/sync-history.js';

/** The length of the longest list from which a statement takes one item. */
const VARIANTS = 13;
/** After these, the rows that the next statements would change may be gone. */
const LEAVES_LITTLE = ['change id', 'change many', 'delete', 'truncate'];

/**
 * In a history, the rows that one change should have affected are often read again because of another change or of a
 * first fill. Here the sync finishes after each change and does not reconcile, so that a missed row stays as it was.
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
