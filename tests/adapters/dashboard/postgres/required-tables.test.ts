import { expect } from 'chai';
import { missingTables } from '../../../../src/adapters/dashboard/postgres/connection.js';
import { DASHBOARD_TABLES, DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';
import { REFERENCE_CAPTURE } from '../../../support/dashboards/reference-mapping.js';

describe('the missing tables of the dashboard', () => {
  let dashboard: DashboardUnderTest;

  const missing = () => missingTables(dashboard.database, REFERENCE_CAPTURE.tables);

  beforeEach(async () => {
    dashboard = await DashboardUnderTest.start();
  });
  afterEach(() => dashboard.stop());

  it('are none if the reference schema exists', async () => {
    expect(await missing()).to.eql([]);
  });

  it('are named if some were dropped', async () => {
    await dashboard.database.raw('drop table blog_tags; drop table blog_categories');

    expect(await missing()).to.have.members(['blog_tags', 'blog_categories']);
  });

  it('are all tables if they are in another schema', async () => {
    await dashboard.database.raw('alter schema public rename to elsewhere; create schema public');

    expect(await missing()).to.have.members(DASHBOARD_TABLES);
  });
});
