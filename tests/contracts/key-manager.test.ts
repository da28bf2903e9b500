import * as mocha from 'mocha';
import { POSTGRES_ENGINE } from '../../src/adapters/dashboard/postgres/engine.js';
import { DashboardKeys } from '../../src/adapters/dashboard/source/dashboard-keys.js';
import { SourceReader } from '../../src/adapters/dashboard/source/source-reader.js';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { Sha256KeyHasher } from '../../src/adapters/system/sha256-key-hasher.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { keyManagerContract } from '../../src/contracts/dashboard/key-manager.contract.js';
import { MemoryKeyManager } from '../../src/contracts/fakes/memory-key-manager.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { REFERENCE } from '../support/dashboards/reference-mapping.js';
import { createDashboard } from '../support/postgres/migrated-databases.js';
import { sharedDatabase } from '../support/postgres/read-tables.js';

keyManagerContract(mocha, MemoryKeyManager, async () => {
  const organizationIds = [freshId('org'), freshId('org')] as const;
  const subject = new MemoryKeyManager(new Set(organizationIds), new SystemClock());
  return { subject, organizationIds };
});

describe('On PostgreSQL,', () => {
  const database = sharedDatabase(async () => openDashboardDatabase(await createDashboard()));

  keyManagerContract(mocha, DashboardKeys, async () => {
    const organizationIds = [freshId('org'), freshId('org')] as const;
    for (const id of organizationIds) await database()('organizations').insert({ id, name: id });
    return {
      subject: new DashboardKeys(
        database(),
        new Sha256KeyHasher(),
        new SourceReader(REFERENCE, POSTGRES_ENGINE),
        'api_keys',
      ),
      organizationIds,
    };
  });
});
