import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  createMysqlDashboard,
  openMysqlDashboard,
  sourceIn,
} from '../../../../support/dashboards/mysql-dashboard.js';

describe('A row of MariaDB without a required value', () => {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createMysqlDashboard(this));
    await database.raw('alter table blogs modify title text null');
    await database.raw(`insert into organizations (id, name) values ('org', 'Organization')`);
    await database.raw(`insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`);
    for (const [id, title] of [
      ['with', 'A title'],
      ['without', null],
    ]) {
      await database('blogs').insert({
        id,
        website_id: 'web',
        title,
        slug: id,
        content_html: '',
        status: 'published',
        published_at: '2024-01-01 00:00:00',
      });
    }
  });

  after(async () => {
    await database?.destroy();
  });

  it('is refused, and does not hold back other rows', async () => {
    const { rows, refused } = await sourceIn(database).read('blogs', ['with', 'without']);

    expect(rows.map(({ id }) => id)).to.deep.equal(['with']);
    expect(refused).to.deep.equal([{ id: 'without', reason: 'title is null' }]);
  });

  it('is shown with the fallback of the column if that has one', async () => {
    await database.raw('alter table blogs modify content_html longtext null');
    await database('blogs').where({ id: 'with' }).update({ content_html: null });

    const { rows, refused } = await sourceIn(database).read('blogs', ['with']);

    expect(refused).to.deep.equal([]);
    expect(rows[0]?.contentHtml).to.equal('');
  });
});

describe('A row of MariaDB whose website occurs twice', () => {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createMysqlDashboard(this));
    await database.raw(`insert into organizations (id, name) values ('org', 'Organization')`);
    await database.raw(`insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`);
    await database.raw(`insert into tags (id, website_id, name, slug) values ('tag', 'web', 'A', 'a')`);
    await database.raw('rename table websites to stored_websites');
    await database.raw(
      'create view websites as select * from stored_websites union all select * from stored_websites',
    );
  });

  after(async () => {
    await database?.destroy();
  });

  it('is refused, because it is unclear which one it belongs to', async () => {
    const { rows, refused } = await sourceIn(database).read('tags', ['tag']);

    expect(rows).to.deep.equal([]);
    expect(refused).to.deep.equal([
      { id: 'tag', reason: 'several rows have this id, or the id of its website' },
    ]);
  });
});

describe('A row of MariaDB that a function of the mapping refuses', () => {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createMysqlDashboard(this));
    await database.raw(`insert into organizations (id, name) values ('org', 'Organization')`);
    await database.raw(`insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`);
    await database.raw(
      `insert into tags (id, website_id, name, slug) select concat('tag_', seq), 'web', 'A', seq from seq_1_to_1000`,
    );
    await database.raw('rename table tags to stored_tags');
    await database.raw(`create function refuse(id varchar(50)) returns varchar(50) deterministic begin
      if id like '%4' then signal sqlstate '45000' set message_text = 'not this one'; end if; return id; end`);
    await database.raw(
      'create view tags as select id, website_id, refuse(id) as name, slug, color from stored_tags',
    );
  });

  after(async () => {
    await database?.destroy();
  });

  it('is refused whatever the class of its error, and the first rows around it are read', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `tag_${n + 1}`);
    const { ids: read, rows, refused } = await sourceIn(database).read('tags', ids);

    expect(read).to.deep.equal(ids.slice(0, 64));
    expect([...rows, ...refused].map(({ id }) => id)).to.have.members(read);
    expect(refused).to.have.lengthOf(7);
    expect(refused[0]).to.deep.equal({ id: 'tag_4', reason: 'the row cannot be read: not this one' });
  });
});
