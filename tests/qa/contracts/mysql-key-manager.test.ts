import * as mocha from 'mocha';
import { keyTable } from '../../../src/adapters/dashboard/mysql/key-table.js';
import { DashboardKeys } from '../../../src/adapters/dashboard/source/dashboard-keys.js';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { keyManagerContract } from '../../../src/contracts/dashboard/key-manager.contract.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { MYSQL_MAPPING, sharedMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';

describe('On MariaDB,', () => {
  const database = sharedMysqlDashboard();

  keyManagerContract(mocha, DashboardKeys, async () => {
    const organizationIds = [freshId('org'), freshId('org')] as const;
    for (const id of organizationIds) await database()('organizations').insert({ id, name: id });
    const table = keyTable('api_keys', MYSQL_MAPPING);
    return { subject: new DashboardKeys(database(), new Sha256KeyHasher(), table), organizationIds };
  });
});
