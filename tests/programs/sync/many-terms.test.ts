import { manyTermsCase } from '../../support/sync/many-terms-case.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

describe('A blog of the dashboard with thousands of long tags', () => {
  manyTermsCase(() => SyncedDatabases.create());
});
