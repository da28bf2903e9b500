import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  CAPTURE_VERSION,
  digestOf,
  endsWithNewerDigest,
  shortHash,
} from '../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { CAPTURE_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { createMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createDashboard } from '../../support/postgres/migrated-databases.js';

/**
 * A hash of what each version installs for the reference mapping. If yours differs, raise CAPTURE_VERSION and add it
 * here, so that older workers say that the capture is of a newer version, and not that it is broken.
 */
const INSTALLED: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: { PostgreSQL: '5d4be27a0e78182f', MariaDB: '146503e5019559d1' },
};

/** The rights of the user decide what is in this procedure. */
const isOfTriggers = (statement: string) => !/^(grant|--)|content_sync_facts/.test(statement);

describe('The version of the change capture', () => {
  const installedIn = async (writeDatabaseUrl: string) => {
    const dashboard = dashboardOf({ writeDatabaseUrl });
    const statements: string[] = [];
    await dashboard.explain((statement) => statements.push(statement));
    return [digestOf(dashboard.mapping), ...statements.filter(isOfTriggers)];
  };

  it('is raised when other tables, functions or triggers are installed on PostgreSQL', async () => {
    const files = (await readdir(CAPTURE_MIGRATIONS.directory)).sort();
    const migrations = files.map((file) => readFile(new URL(file, CAPTURE_MIGRATIONS.directory), 'utf8'));
    const installed = [...(await Promise.all(migrations)), ...(await installedIn(await createDashboard()))];
    expect(shortHash(installed.join('\n'))).to.equal(INSTALLED[CAPTURE_VERSION]?.PostgreSQL);
  });

  it('is raised when other tables, functions or triggers are installed on MariaDB', async function () {
    const installed = await installedIn(await createMysqlDashboard(this));
    expect(shortHash(installed.join('\n'))).to.equal(INSTALLED[CAPTURE_VERSION]?.MariaDB);
  });

  it('is compared as a number', () => {
    const newer = ['2-0123456789abcdef', 'of the mapping 10-0123456789abcdef'];
    const others = ['', '0123456789abcdef', '1-0123456789abcdef', 'of the mapping 0-0123456789abcdef'];
    expect([...newer, ...others].filter(endsWithNewerDigest)).to.eql(newer);
  });
});
