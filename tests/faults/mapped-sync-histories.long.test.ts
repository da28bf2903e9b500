import { MysqlSyncedDatabases } from '../support/mysql-synced-databases.js';
import { PublishingDatabases } from '../support/publishing-databases.js';
import { outlivesHistories } from './sync-histories.js';

outlivesHistories({
  name: 'in other tables on PostgreSQL',
  runs: 4,
  create: () => PublishingDatabases.create(),
});
outlivesHistories({
  name: 'on MariaDB',
  runs: 5,
  create: (context) => MysqlSyncedDatabases.createIn(context),
});
