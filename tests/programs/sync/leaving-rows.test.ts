import { leavingRowsCases } from '../../support/sync/leaving-rows-cases.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

describe('Of rows that leave their select through another row, the sync', () => {
  leavingRowsCases(
    () => SyncedDatabases.create(),
    (table) => `alter table ${table} rename to stored_${table}`,
  );
});
