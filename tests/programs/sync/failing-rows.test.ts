import { failingRowCases } from '../../support/sync/failing-row-cases.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

for (const volatility of ['immutable', 'volatile']) {
  describe(`A row for which a function of the dashboard fails that is ${volatility}`, () => {
    failingRowCases(async () => {
      const databases = await SyncedDatabases.create();
      const failFor = async (pattern: string) => {
        await databases.dashboard.raw(`
          create or replace function named(id text, name text) returns text ${volatility} language plpgsql as
            $$ begin if id like '${pattern}' then raise 'not this one'; end if; return name; end $$`);
      };
      await failFor('none');
      await databases.dashboard.raw(`
        alter table tags rename to stored_tags;
        create view tags as select id, website_id, named(id, name) as name, slug, color from stored_tags`);
      return { databases, failFor };
    });
  });
}
