import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { TestRole } from '../../support/postgres/test-role.js';
import { failingKindCases, NAMED_BLOGS } from '../../support/sync/failing-kind-cases.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

describe('A kind of a dashboard in PostgreSQL that cannot be read', () => {
  failingKindCases(async () => {
    const owned = await SyncedDatabases.create();
    const { dashboard, readDatabaseUrl } = owned;
    await dashboard.raw(`
      create table texts (mode text);
      insert into texts values ('fine');
      create function named(id text, title text) returns text stable language plpgsql as $$
        declare given text := (select mode from texts);
        begin
          if given in ('broken', 'broken ' || id) then raise 'not this one'; end if;
          if given in ('asleep', 'asleep ' || id) then perform pg_sleep(20); end if;
          if given = 'table' then perform 1 from absent; end if;
          if given = 'function' then perform absent(); end if;
          return title;
        end $$;
      alter table blogs rename to stored_blogs;
      create view blogs as ${NAMED_BLOGS}`);
    const role = await TestRole.create(dashboard);
    const grants: string[] = [];
    await dashboardOf({ writeDatabaseUrl: owned.writeDatabaseUrl }).printGrants(
      (grant) => grants.push(grant),
      role.name,
    );
    for (const grant of grants) await dashboard.raw(grant);
    await dashboard.raw(`grant select on blogs, texts to ${role.name}`);
    const databases = new SyncedDatabases(role.urlOf(owned.writeDatabaseUrl), readDatabaseUrl, dashboard);
    return { databases, worker: role.name };
  });
});
