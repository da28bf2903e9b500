import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  createMysqlDashboard,
  openMysqlDashboard,
  sourceIn,
} from '../../../support/dashboards/mysql-dashboard.js';

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

  it('is left out of the blogs if it is a category or a tag, and they are shown without it', async () => {
    for (const [table, link] of [
      ['categories', 'blog_categories'],
      ['tags', 'blog_tags'],
    ]) {
      await database.raw(`alter table ${table} modify name text null`);
      await database.raw(
        `insert into ${table} (id, website_id, name, slug) values ('named', 'web', 'A', 'a'), ('nameless', 'web', null, 'b')`,
      );
      await database.raw(`insert into ${link} select 'with', id from ${table}`);
    }

    const { rows, refused } = await sourceIn(database).read('blogs', ['with']);

    expect(refused).to.deep.equal([]);
    expect(rows[0]?.categories.map(({ id }) => id)).to.deep.equal(['named']);
    expect(rows[0]?.tags.map(({ id }) => id)).to.deep.equal(['named']);
    const terms = await sourceIn(database).read('tags', ['named', 'nameless']);
    expect(terms.refused).to.deep.equal([{ id: 'nameless', reason: 'name is null' }]);
  });
});
