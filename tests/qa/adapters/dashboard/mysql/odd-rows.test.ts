import { expect } from 'chai';
import type { Knex } from 'knex';
import { RowRefused } from '../../../../../src/domain/errors.js';
import { sharedMysqlDashboard, sourceIn } from '../../../../support/dashboards/mysql-dashboard.js';

const BLOG = { website_id: 'web', title: 'A title', content_html: '', published_at: '2024-01-01 00:00:00' };

async function putOwners(database: Knex): Promise<void> {
  await database('organizations').insert({ id: 'org', name: 'Organization' });
  await database('websites').insert({ id: 'web', organization_id: 'org', name: 'Website' });
}

const putTag = (database: Knex) =>
  database('tags').insert({ id: 'tag', website_id: 'web', name: 'A', slug: 'a' });

describe('A row of MariaDB without a required value', () => {
  const database = sharedMysqlDashboard(async (opened) => {
    await putOwners(opened);
    await opened.raw('alter table blogs modify title text null, modify content_html longtext null');
    await opened('blogs').insert([
      { ...BLOG, id: 'with', slug: 'with', status: 'published', content_html: null },
      { ...BLOG, id: 'without', slug: 'without', status: 'published', title: null },
    ]);
  });

  it('is refused or shown with the fallback of the column, and does not hold back other rows', async () => {
    const { rows, refused } = await sourceIn(database()).read('blogs', ['with', 'without']);
    expect(rows.map(({ id, contentHtml }) => ({ id, contentHtml }))).to.deep.equal([
      { id: 'with', contentHtml: '' },
    ]);
    expect(refused).to.deep.equal([{ id: 'without', reason: 'title is null' }]);
  });
});

describe('A row of MariaDB whose website occurs twice', () => {
  const database = sharedMysqlDashboard(async (opened) => {
    await putOwners(opened);
    await putTag(opened);
    await opened.raw('rename table websites to stored_websites');
    await opened.raw(
      'create view websites as select * from stored_websites union all select * from stored_websites',
    );
  });

  it('is refused, because it is unclear which one it belongs to', async () => {
    const { rows, refused } = await sourceIn(database()).read('tags', ['tag']);
    expect(rows).to.deep.equal([]);
    expect(refused).to.deep.equal([
      { id: 'tag', reason: 'several rows have this id, or the id of its website' },
    ]);
  });
});

describe('A row of MariaDB that a function of the mapping refuses', () => {
  const database = sharedMysqlDashboard(async (opened) => {
    await putOwners(opened);
    await opened.raw(
      `insert into tags (id, website_id, name, slug) select concat('tag_', seq), 'web', 'A', seq from seq_1_to_1000`,
    );
    await opened.raw('rename table tags to stored_tags');
    await opened.raw(`create function refuse(id varchar(50)) returns varchar(50) deterministic begin
      if id like '%4' then signal sqlstate '45000' set message_text = 'not this one'; end if; return id; end`);
    await opened.raw(
      'create view tags as select id, website_id, refuse(id) as name, slug, color from stored_tags',
    );
  });

  it('is refused whatever the class of its error, and the others are read', async () => {
    const read = (...ids: readonly string[]) => sourceIn(database()).read('tags', ids);
    const failureOf = (reading: Promise<unknown>) =>
      reading.then(() => null).catch((error: unknown) => error);
    const reason = 'the row cannot be read: not this one';
    expect(await failureOf(read('tag_1', 'tag_4')))
      .to.be.instanceOf(RowRefused)
      .and.have.property('message', reason);
    expect(await failureOf(read('tag_4')))
      .to.be.instanceOf(RowRefused)
      .and.have.property('message', reason);
    expect((await read('tag_1', 'tag_2')).rows).to.have.lengthOf(2);
  });
});

describe('A value that a collation of MariaDB takes for another one', () => {
  const database = sharedMysqlDashboard(putOwners);

  it('shows no blog if it is the status', async () => {
    const statuses = ['published', 'Published'];
    for (const status of statuses) {
      await database()('blogs').insert({ ...BLOG, id: status, slug: status, status });
    }
    const { rows } = await sourceIn(database()).read('blogs', statuses);
    expect(rows.map(({ id }) => id)).to.deep.equal(['published']);
  });

  it('is not the id of an existing row', async () => {
    await putTag(database());
    await database().raw('rename table tags to stored_tags');
    await database().raw(
      'create view tags as select id collate utf8mb4_general_ci as id, website_id, name, slug, color from stored_tags',
    );
    expect(await sourceIn(database()).existing('tags', { kind: 'everything' }, ['TAG'])).to.deep.equal([]);
    expect(await sourceIn(database()).existing('tags', { kind: 'everything' }, ['tag'])).to.deep.equal([
      'tag',
    ]);
  });
});
