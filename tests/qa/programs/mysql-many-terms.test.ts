import { manyTermsCase } from '../../support/sync/many-terms-case.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';

describe('A blog of a MariaDB with thousands of long tags', () => {
  manyTermsCase((context) => MysqlSyncedDatabases.createIn(context));
});
