import { failingRowCases } from '../../support/sync/failing-row-cases.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';

describe('On MariaDB, a row for which a function of the dashboard fails', () => {
  failingRowCases(async (context) => {
    const databases = await MysqlSyncedDatabases.createIn(context);
    const { dashboard } = databases;
    const failFor = async (pattern: string) => {
      await dashboard.raw(`
        create or replace function named(id varchar(500), name text) returns text deterministic begin
          if id like '${pattern.replaceAll('\\', '\\\\')}' then signal sqlstate '45000' set message_text = 'not this one'; end if;
          return name; end`);
    };
    await failFor('none');
    await dashboard.raw('rename table tags to stored_tags');
    await dashboard.raw(
      'create view tags as select id, website_id, named(id, name) as name, slug, color from stored_tags',
    );
    return { databases, failFor };
  });
});
