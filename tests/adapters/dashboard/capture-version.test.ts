import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  CAPTURE_VERSION,
  digestOf,
  isNewerDigest,
  shortHash,
} from '../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { CAPTURE_MIGRATIONS } from '../../../src/adapters/dashboard/postgres/capture/capture.js';
import {
  GENERATED,
  type GeneratedFile,
  generatedCapture,
} from '../../support/dashboards/generated-capture.js';
import { createMysqlDashboard, MYSQL_MAPPING } from '../../support/dashboards/mysql-dashboard.js';
import { REFERENCE } from '../../support/dashboards/reference-mapping.js';
import { createDashboard } from '../../support/postgres/migrated-databases.js';

/**
 * A hash of what each version installs for the reference mappings. If yours differs, raise CAPTURE_VERSION and add it
 * here, so that older workers say that the capture is of a newer version, and not that it is broken.
 */
const INSTALLED: Readonly<Record<number, string>> = { 1: 'b495041b0db51e7d' };

const committed = (file: GeneratedFile) => readFile(new URL(file, GENERATED), 'utf8');

describe('The committed SQL of the change capture', () => {
  it('is what migrate installs for the reference mapping on PostgreSQL', async () => {
    expect(await generatedCapture('postgresql.sql', await createDashboard())).to.equal(
      await committed('postgresql.sql'),
      'run `npm run capture`',
    );
  });

  it('is what migrate installs for the reference mapping on MariaDB', async function () {
    expect(await generatedCapture('mariadb.sql', await createMysqlDashboard(this))).to.equal(
      await committed('mariadb.sql'),
      'run `npm run capture`',
    );
  });
});

describe('The version of the change capture', () => {
  it('is raised when other tables, functions or triggers are installed', async () => {
    const files = (await readdir(CAPTURE_MIGRATIONS.directory)).sort();
    const migrations = files.map((file) => readFile(new URL(file, CAPTURE_MIGRATIONS.directory), 'utf8'));
    const generated = [committed('postgresql.sql'), committed('mariadb.sql')];
    const installed = [
      ...(await Promise.all([...migrations, ...generated])),
      ...[REFERENCE, MYSQL_MAPPING].map(digestOf),
    ];
    expect(shortHash(installed.join('\n'))).to.equal(INSTALLED[CAPTURE_VERSION]);
  });

  it('is compared as a number', () => {
    const newer = ['2-0123456789abcdef', '10-0123456789abcdef'];
    const others = ['', '0123456789abcdef', '1-0123456789abcdef', '0-0123456789abcdef'];
    expect([...newer, ...others].filter(isNewerDigest)).to.eql(newer);
  });
});
