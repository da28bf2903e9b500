import { expect } from 'chai';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../../../src/adapters/sql/postgres/open-database.js';
import { changesOf, startCapturedDashboard } from '../../../../support/dashboards/captured-changes.js';
import {
  DASHBOARD_TABLES,
  type DashboardUnderTest,
} from '../../../../support/dashboards/dashboard-under-test.js';
import { TestRole } from '../../../../support/postgres/test-role.js';

/** What a change capture would use by mistake if it looked up names as the writing role does. */
const LOOKALIKES = `
  create schema hostile;
  create table hostile.change_queue (id text, kind text, key text, at timestamptz);
  create table hostile.added (id text, blog_id text);
  create table hostile.removed (id text, blog_id text);
  create function hostile.format(text, variadic text[]) returns text language plpgsql as $$
    begin raise exception 'a function of another role is called'; end $$;
  create function hostile.same(text, text) returns boolean language plpgsql as $$
    begin raise exception 'an operator of another role is called'; end $$;
  create operator hostile.= (leftarg = text, rightarg = text, function = hostile.same);
  create function hostile.clock_timestamp() returns timestamptz language plpgsql as $$
    begin raise exception 'a clock of another role is called'; end $$;`;

describe('The change capture, for a role of the dashboard,', () => {
  let dashboard: DashboardUnderTest;
  let role: TestRole;
  let asRole: Knex;

  const refusal = async (sql: string) => {
    const error = await asRole.raw(sql).then(
      () => null,
      (error: Error & { code?: string }) => error,
    );
    return error?.code;
  };

  before(async () => {
    dashboard = await startCapturedDashboard();
    const { database, url } = dashboard;
    role = await TestRole.create(database);
    await database.raw(LOOKALIKES);
    await database.raw(`
      grant usage on schema public, hostile to ${role.name};
      grant all on all tables in schema hostile to ${role.name};
      grant select, insert, update, delete, truncate on ${DASHBOARD_TABLES.map((table) => `public.${table}`).join(', ')} to ${role.name};
      alter role ${role.name} set search_path = hostile, public, pg_catalog;`);
    asRole = openDashboardDatabase(role.urlOf(url));
    await dashboard.putOwners();
  });
  after(async () => {
    await asRole?.destroy();
    await role?.drop();
    await dashboard?.stop();
  });

  it('captures writes of the role without any right on the queue, whatever its search_path finds', async () => {
    const writes = async () => {
      await asRole.raw(`
        create temp table added (id text); create temp table removed (id text); create temp table change_queue (kind text, key text);
        insert into tags (id, website_id, name, slug) values ('red', 'web_a', 'Red', 'red'), ('sea', 'web_a', 'Sea', 'sea');
        update tags set name = 'New';
        delete from tags`);
    };

    expect(await changesOf(dashboard.database, writes)).to.eql(['tags red', 'tags sea']);
    expect(await changesOf(dashboard.database, () => asRole.raw('truncate blog_tags'))).to.eql([
      'everything',
    ]);
    expect(await dashboard.dump('hostile.change_queue')).to.eql(['hostile.change_queue']);
  });

  it('gives the role no access to the queue except through the triggers', async () => {
    const INSUFFICIENT_PRIVILEGE = '42501';
    for (const sql of [
      'select * from content_sync.change_queue',
      `insert into content_sync.change_queue (kind, key) values ('blogs', 'one')`,
      'delete from content_sync.change_queue',
    ]) {
      expect(await refusal(sql), sql).to.equal(INSUFFICIENT_PRIVILEGE);
    }
  });

  it('gives the role no access to the queue through a table of its own that calls the change capture', async () => {
    await dashboard.database.raw(`grant usage on schema content_sync to ${role.name}`);
    const trigger = `
      create temp table own (id text);
      create trigger own after insert on own referencing new table as added
      for each statement execute function content_sync."capture blogs"()`;

    expect(await refusal(trigger)).to.equal('42501');
  });
});
