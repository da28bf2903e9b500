import { failingKindCases, NAMED_BLOGS } from '../../support/sync/failing-kind-cases.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';

describe('A kind of a dashboard in MariaDB that cannot be read', () => {
  failingKindCases(async (context) => {
    const databases = await MysqlSyncedDatabases.createIn(context);
    const { dashboard } = databases;
    const worker = new URL(databases.writeDatabaseUrl).username;
    await dashboard.raw('create table texts (mode varchar(20))');
    await dashboard.raw(`insert into texts values ('fine')`);
    await dashboard.raw('create table absent (n int)');
    await dashboard.raw('create function absent_too() returns int deterministic return 1');
    await dashboard.raw(`
      create function named(id varchar(500), title text) returns text reads sql data sql security invoker begin
        declare given varchar(20) default (select mode from texts);
        if given in ('broken', concat('broken ', id)) then signal sqlstate '45000' set message_text = 'not this one'; end if;
        if given in ('asleep', concat('asleep ', id)) then do sleep(20); end if;
        if given = 'table' then return (select max(n) from absent); end if;
        if given = 'function' then return absent_too(); end if;
        return title;
      end`);
    await dashboard.raw('drop table absent');
    await dashboard.raw('drop function absent_too');
    await dashboard.raw('rename table blogs to stored_blogs');
    await dashboard.raw(`
      create sql security invoker view blogs as ${NAMED_BLOGS}`);
    for (const table of ['blogs', 'stored_blogs', 'texts'])
      await dashboard.raw(`grant select on ${table} to ${worker}`);
    await dashboard.raw(`grant execute on function named to ${worker}`);
    return { databases, worker };
  });
});
