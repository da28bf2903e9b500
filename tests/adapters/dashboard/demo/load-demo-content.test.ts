import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { loadDemoContent } from '../../../../src/adapters/dashboard/demo/load-demo-content.js';
import { DEMO_CONTENT } from '../../../../src/composition/project-folders.js';
import { DASHBOARD_TABLES, DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';

describe('the demo content', () => {
  let dashboard: DashboardUnderTest;

  const count = async (sql: string) => {
    const { rows }: { rows: { count: string }[] } = await dashboard.database.raw(
      `select count(*) from ${sql}`,
    );
    return Number(rows[0]?.count);
  };

  before(async () => {
    dashboard = await DashboardUnderTest.start();
    await loadDemoContent(dashboard.database, DEMO_CONTENT);
  });
  after(() => dashboard.stop());

  it('has two organizations, three websites and 200 published blogs', async () => {
    expect(await count('organizations')).to.equal(2);
    expect(await count('websites')).to.equal(3);
    expect(await count("blogs where status = 'published'")).to.equal(200);
  });

  it('has blogs of every status, so that a demo includes blogs that are not shown', async () => {
    for (const status of ['draft', 'scheduled', 'archived']) {
      expect(await count(`blogs where status = '${status}'`), status).to.be.above(0);
    }
  });

  it('gives each website blogs, categories of several levels, and tags', async () => {
    for (const table of ['blogs', 'tags', 'categories', 'categories where parent_id is not null']) {
      const [from, condition = 'true'] = table.split(' where ');
      expect(
        await count(`(select distinct website_id from ${from} where ${condition}) as w`),
        table,
      ).to.equal(3);
    }
  });

  it('links terms to the blogs of their own website', async () => {
    const foreign = (kind: string, terms: string) =>
      count(`blog_${terms} as link join blogs on blogs.id = blog_id join ${terms} as term on term.id = ${kind}_id
        where term.website_id <> blogs.website_id`);

    expect(await count('blog_categories')).to.be.above(200);
    expect(await count('blog_tags')).to.be.above(200);
    expect([await foreign('category', 'categories'), await foreign('tag', 'tags')]).to.eql([0, 0]);
  });

  it('changes nothing when it is loaded again', async () => {
    const before = await dashboard.dump(...DASHBOARD_TABLES);
    await loadDemoContent(dashboard.database, DEMO_CONTENT);

    expect(await dashboard.dump(...DASHBOARD_TABLES)).to.eql(before);
  });

  it('does not restore what was changed since, even if most of it was deleted', async () => {
    await dashboard.database('blogs').delete();
    await dashboard
      .database('organizations')
      .where({ id: (await firstOrganization()).id })
      .delete();
    const before = await dashboard.dump(...DASHBOARD_TABLES);
    await loadDemoContent(dashboard.database, DEMO_CONTENT);

    expect(await dashboard.dump(...DASHBOARD_TABLES)).to.eql(before);
  });

  it('is loaded completely or not at all', async () => {
    await dashboard.empty();
    const folder = await mkdtemp(join(tmpdir(), 'demo-'));
    const rows = {
      organizations: [{ id: 'org_x', name: 'X' }],
      websites: [{ id: 'web_x', organization_id: 'org_x', name: 'X' }],
      categories: [{ id: 'c', website_id: 'web_x', name: 'C', slug: 'c' }],
      tags: [{ id: 't', website_id: 'web_x', name: 'T', slug: 't', color: 'no color' }],
    };
    await writeFile(join(folder, 'x.json'), JSON.stringify(rows));
    const loading = loadDemoContent(dashboard.database, pathToFileURL(`${folder}/`));
    const failure = await loading.catch((error: unknown) => error);
    await rm(folder, { recursive: true });

    expect(failure).to.have.property('code', '23514');
    expect(await dashboard.dump(...DASHBOARD_TABLES)).to.eql(DASHBOARD_TABLES);
  });

  async function firstOrganization(): Promise<{ id: string }> {
    return dashboard.database('organizations').orderBy('id').first();
  }
});
