import * as mocha from 'mocha';
import { MYSQL_ENGINE } from '../../../src/adapters/dashboard/mysql/engine.js';
import { DashboardKeys } from '../../../src/adapters/dashboard/source/dashboard-keys.js';
import { SourceReader } from '../../../src/adapters/dashboard/source/source-reader.js';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { keyManagerContract } from '../../../src/contracts/dashboard/key-manager.contract.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { MYSQL_MAPPING, sharedMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';

describe('On MariaDB, and in another time zone,', () => {
  const { TZ } = process.env;
  before(() => {
    process.env.TZ = 'America/New_York';
  });
  after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  const database = sharedMysqlDashboard();

  keyManagerContract(mocha, DashboardKeys, async () => {
    const organizationIds = [freshId('org'), freshId('org')] as const;
    for (const id of organizationIds) await database()('organizations').insert({ id, name: id });
    const reader = new SourceReader(MYSQL_MAPPING, MYSQL_ENGINE);
    const subject = new DashboardKeys(database(), new Sha256KeyHasher(), reader, 'api_keys');
    return { subject, organizationIds };
  });
});
