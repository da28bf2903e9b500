import { expect } from 'chai';
import { missingDashboardTables } from '../../../src/adapters/dashboard/missing-dashboard-tables.js';
import { DASHBOARD_TABLES, DashboardUnderTest } from '../../support/dashboard-under-test.js';

describe('the missing tables of the dashboard', () => {
  let dashboard: DashboardUnderTest;

  beforeEach(async () => {
    dashboard = await DashboardUnderTest.start();
  });
  afterEach(() => dashboard.stop());

  it('are none where the reference schema is', async () => {
    expect(await missingDashboardTables(dashboard.database)).to.eql([]);
  });

  it('are named where some are gone', async () => {
    await dashboard.database.raw('drop table blog_tags; drop table blog_categories');

    expect(await missingDashboardTables(dashboard.database)).to.have.members([
      'blog_tags',
      'blog_categories',
    ]);
  });

  it('are all where they lie in another schema', async () => {
    await dashboard.database.raw('alter schema public rename to elsewhere; create schema public');

    expect(await missingDashboardTables(dashboard.database)).to.have.members(DASHBOARD_TABLES);
  });
});
