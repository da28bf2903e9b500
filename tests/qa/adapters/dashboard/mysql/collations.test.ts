import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  createMysqlDashboard,
  openMysqlDashboard,
  sourceIn,
} from '../../../../support/dashboards/mysql-dashboard.js';

describe('A value that a collation of MariaDB takes for another one', () => {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createMysqlDashboard(this));
    await database.raw(`insert into organizations (id, name) values ('org', 'Organization')`);
    await database.raw(`insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`);
  });

  after(async () => {
    await database?.destroy();
  });

  it('shows no blog if it is the status', async () => {
    for (const status of ['published', 'Published']) {
      await database('blogs').insert({
        id: status,
        website_id: 'web',
        title: 'A',
        slug: status,
        content_html: '',
        status,
        published_at: '2024-01-01 00:00:00',
      });
    }

    const { rows } = await sourceIn(database).read('blogs', ['published', 'Published']);

    expect(rows.map(({ id }) => id)).to.deep.equal(['published']);
  });

  it('is not the id of an existing row', async () => {
    await database.raw(`insert into tags (id, website_id, name, slug) values ('tag', 'web', 'A', 'a')`);
    await database.raw('rename table tags to stored_tags');
    await database.raw(
      'create view tags as select id collate utf8mb4_general_ci as id, website_id, name, slug, color from stored_tags',
    );

    expect(await sourceIn(database).existing('tags', ['TAG'])).to.deep.equal([]);
    expect(await sourceIn(database).existing('tags', ['tag'])).to.deep.equal(['tag']);
  });
});
