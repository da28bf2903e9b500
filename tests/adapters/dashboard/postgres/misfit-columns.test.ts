import { expect } from 'chai';
import { POSTGRES_ENGINE } from '../../../../src/adapters/dashboard/postgres/engine.js';
import { MappedContentSource } from '../../../../src/adapters/dashboard/source/mapped-content-source.js';
import { SourceReader } from '../../../../src/adapters/dashboard/source/source-reader.js';
import { DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';
import { REFERENCE } from '../../../support/dashboards/reference-mapping.js';

/** Types that the check of a mapping refuses, but that PostgreSQL itself accepts in a statement or in a part of one. */
const MISFITS = {
  published_at: {
    change: 'alter column published_at type timestamp',
    problem: 'blogs: the column published_at has the type timestamp without time zone',
  },
  status: {
    change: `drop constraint blogs_status_check, drop constraint blogs_published_has_date,
      alter column status drop default, alter column status type boolean using status = 'published'`,
    problem: 'blogs: the column status has the type boolean',
  },
};

describe('A column of the dashboard that gets a wrong type while the worker runs', () => {
  let dashboard: DashboardUnderTest;
  let reader: SourceReader;
  let source: MappedContentSource;

  beforeEach(async () => {
    dashboard = await DashboardUnderTest.start();
    await dashboard.putOwners();
    await dashboard.putBlog({ id: 'blog' });
    reader = new SourceReader(REFERENCE, POSTGRES_ENGINE);
    source = new MappedContentSource(dashboard.database, reader);
    await source.read('blogs', ['blog']);
  });
  afterEach(() => dashboard.stop());

  for (const [column, { change, problem }] of Object.entries(MISFITS)) {
    it(`makes the read fail, so that no blog is treated as one that must not be shown: ${column}`, async () => {
      await dashboard.database.raw(`alter table blogs ${change}`);
      reader.forgetTables();
      for (let attempt = 1; attempt <= 2; attempt++) {
        const refusal = await source.read('blogs', ['blog']).catch((error: unknown) => error);
        expect(refusal).to.be.an('error').with.property('message').that.contains(problem);
      }
      expect((await source.read('apiKeys', ['key'])).rows).to.eql([]);
    });
  }
});
