import { leavingRowsCases } from '../../support/sync/leaving-rows-cases.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';

describe('On MariaDB, of rows that leave their select through another row, the sync', () => {
  leavingRowsCases(
    (context) => MysqlSyncedDatabases.createIn(context),
    (table) => `rename table ${table} to stored_${table}`,
  );
});
