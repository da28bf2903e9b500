import { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { outlivesHistories } from './sync-histories.js';

outlivesHistories({ name: 'on PostgreSQL', runs: 10, create: () => SyncedDatabases.create() });
