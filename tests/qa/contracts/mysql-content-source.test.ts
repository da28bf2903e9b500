import * as mocha from 'mocha';
import { MappedContentSource } from '../../../src/adapters/dashboard/source/mapped-content-source.js';
import { contentSourceContract } from '../../../src/contracts/dashboard/content-source.contract.js';
import { putIntoDashboard, removeFromDashboard } from '../../support/dashboards/dashboard-rows.js';
import { sharedMysqlDashboard, sourceIn } from '../../support/dashboards/mysql-dashboard.js';

/** The range of MySQL's calendar. */
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

describe('On MariaDB,', () => {
  const database = sharedMysqlDashboard();

  contentSourceContract(mocha, MappedContentSource, async () => ({
    subject: sourceIn(database()),
    put: (kind, row) => putIntoDashboard(database(), kind, row),
    remove: (kind, id) => removeFromDashboard(database(), kind, id),
    holdsTime: (millis) => millis >= EARLIEST && millis <= LATEST,
  }));
});
