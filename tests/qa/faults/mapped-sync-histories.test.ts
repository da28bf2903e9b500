import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';
import { PublishingDatabases } from '../support/dashboards/publishing-databases.js';
import { outlivesHistories } from './sync-histories.js';

outlivesHistories({
  name: 'with other tables on PostgreSQL',
  runs: 4,
  create: () => PublishingDatabases.create(),
});
outlivesHistories({
  name: 'on MariaDB',
  runs: 5,
  create: (context) => MysqlSyncedDatabases.createIn(context),
});
