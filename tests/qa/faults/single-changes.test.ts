import { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';
import { PublishingDatabases } from '../support/dashboards/publishing-databases.js';
import { HistoryRun } from '../support/histories/sync-history.js';
import { showEachChange } from './single-changes.js';

const DASHBOARDS = {
  'on PostgreSQL': () => SyncedDatabases.create(),
  'with other tables on PostgreSQL': () => PublishingDatabases.create(),
  'on MariaDB': (context: Mocha.Context) => MysqlSyncedDatabases.createIn(context),
};

for (const [name, create] of Object.entries(DASHBOARDS)) {
  describe(`Each change of a dashboard ${name}`, function () {
    // About three hundred changes, one after the other.
    this.timeout(900_000);
    let databases: SyncedDatabases;

    before(async function () {
      databases = await create(this);
      await HistoryRun.keepFilled(databases);
    });

    after(async () => {
      await databases?.close();
    });

    it('is applied without help from other changes', () => showEachChange(databases));
  });
}
