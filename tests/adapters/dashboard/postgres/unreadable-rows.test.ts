import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { migrateDatabase } from '../../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { openDashboardDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import { DASHBOARD_MIGRATIONS, READ_MIGRATIONS } from '../../../../src/composition/project-folders.js';
import { aSourceBlog } from '../../../../src/contracts/support/source-rows.js';
import { KindFails, RowRefused, SourceTooSlow } from '../../../../src/domain/errors.js';
import { putIntoDashboard } from '../../../support/dashboards/dashboard-rows.js';
import { referenceSource } from '../../../support/dashboards/reference-mapping.js';
import { createDashboard } from '../../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

/** A tag with this color fails like invalid data, because PostgreSQL computes the color when the row is read. */
const FAILING_VIEW = `
  alter table tags rename to stored_tags;
  create view tags as select id, website_id, name, slug,
    case when color = '#000000' then (1 / (length(color) - 7))::text else color end as color from stored_tags`;

const NOT_THIS_ONE = 'the row cannot be read: not this one (PL/pgSQL function refuse(text) line 2 at RAISE)';
const DIVISION = 'the row cannot be read: division by zero';

describe('A row of the dashboard that cannot be read', () => {
  let database: Knex;

  before(async () => {
    database = openDashboardDatabase(await createDashboard());
    await putIntoDashboard(database, 'blogs', aSourceBlog({ id: 'blog', websiteId: 'web' }));
    await database.raw(`insert into tags (id, website_id, name, slug, color)
      select 'tag_' || n, 'web', 'Tag', 'tag-' || n, case when n in (3, 9) then '#000000' else '#888888' end from generate_series(1, 10) as n`);
    await database.raw(FAILING_VIEW);
  });
  after(() => database?.destroy());

  const ids = Array.from({ length: 10 }, (_, n) => `tag_${n + 1}`);

  const failureOf = (read: Promise<unknown>) => read.then(() => null).catch((error: unknown) => error);
  const read = (...tags: readonly string[]) => referenceSource(database).read('tags', tags);

  it('is refused, and the others can be read', async () => {
    for (const some of [ids, ['tag_3', 'tag_1'], ['tag_3']])
      expect(await failureOf(read(...some)))
        .to.be.instanceOf(RowRefused)
        .and.have.property('message', DIVISION);
    const others = ids.filter((id) => id !== 'tag_3' && id !== 'tag_9');
    expect((await read(...others)).rows.map(({ id }) => id)).to.have.members(others);
  });

  it('is refused in a snapshot of others, too', async () => {
    const failure = await failureOf(
      database.transaction((transaction) => referenceSource(transaction).read('tags', ['tag_3'])),
    );
    expect(failure).to.be.instanceOf(RowRefused).and.have.property('message', DIVISION);
  });

  const refuseWith = (code: string) =>
    database.raw(`create or replace function refuse(id text) returns text language plpgsql as $$
      begin if id ~ '[24]$' then raise 'not this one' using errcode = '${code}'; end if; return id; end $$;
      create or replace view tags as select id, website_id, refuse(id) as name, slug, color from stored_tags`);

  for (const code of ['42501', '42P01', '42703', '42883', '3F000', '55000']) {
    it(`is not at fault if a function lacks what it names: ${code}`, async () => {
      await refuseWith(code);
      expect((await read('tag_1', 'tag_5')).rows).to.have.lengthOf(2);
      expect(await failureOf(read('tag_4')))
        .to.be.instanceOf(KindFails)
        .and.have.property('message')
        .that.includes('not this one');
    });
  }

  for (const code of ['P0001', '25006', 'XX001', '21000']) {
    it(`is refused whatever else a function says: ${code}`, async () => {
      await refuseWith(code);
      expect((await read('tag_1', 'tag_5')).rows).to.have.lengthOf(2);
      expect(await failureOf(read('tag_4')))
        .to.be.instanceOf(RowRefused)
        .and.have.property('message', NOT_THIS_ONE);
    });
  }

  it('is refused for its links, too', async () => {
    await database.raw(`alter table blog_tags rename to stored_blog_tags;
      create view blog_tags as select blog_id, refuse(tag_id) as tag_id from stored_blog_tags;
      insert into stored_blog_tags values ('blog', 'tag_4')`);
    const failure = await failureOf(referenceSource(database).read('blogs', ['blog']));
    expect(failure).to.be.instanceOf(RowRefused).and.have.property('message', NOT_THIS_ONE);
  });

  it('is reported as slow if it exceeds the time limit', async () => {
    await database.raw(`create or replace view tags as
      select id, website_id, name || pg_sleep(5)::text as name, slug, color from stored_tags`);
    const failure = await database
      .transaction(async (transaction) => {
        await transaction.raw(`set local statement_timeout = '100ms'`);
        return referenceSource(transaction).read('tags', ids);
      })
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(SourceTooSlow);
  });

  it('does not hide a failure that does not concern the data', async () => {
    const source = referenceSource(database);
    await source.read('tags', ['none']);
    await database.raw('alter view tags rename to no_tags');
    const failure = await source.read('tags', ids).catch((error: unknown) => error);
    expect(String(failure)).to.contain('does not exist');
    await database.raw('alter view no_tags rename to tags');
  });
});

describe('A database with another encoding than UTF8', () => {
  for (const encoding of ['SQL_ASCII', 'LATIN1']) {
    it(`is not migrated, and its encoding ${encoding} is reported`, async () => {
      const url = await createTestDatabase(encoding);
      for (const migrations of [READ_MIGRATIONS, DASHBOARD_MIGRATIONS]) {
        const failure = await migrateDatabase(url, migrations).catch((error: unknown) => error);
        expect(String(failure)).to.match(
          new RegExp(`has the encoding ${encoding}, but UTF8 is required: .*pg_dump`),
        );
      }
      const database = openDashboardDatabase(url);
      const { rows } = await database.raw(
        `select nspname from pg_namespace where nspname like 'content%' or nspname = 'blog'`,
      );
      await database.destroy();
      expect(rows).to.eql([]);
    });
  }

  it('returns all rows except those with invalid bytes, which are refused, if it was migrated earlier', async () => {
    const url = await createTestDatabase('SQL_ASCII');
    const database = openDashboardDatabase(url);
    try {
      const schema = new URL('0001_reference_schema.sql', DASHBOARD_MIGRATIONS.directory);
      await database.raw(await readFile(schema, 'utf8'));
      await database.raw(`
        insert into organizations (id, name) values ('org', 'Organization');
        insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
        insert into tags (id, website_id, name, slug, color) values ('good', 'web', 'Tag', 'tag', '#888888'),
          ('bad', 'web', convert_from(decode('ff', 'hex'), 'SQL_ASCII'), 'other', '#888888')`);
      const reading = await referenceSource(database).read('tags', ['good']);
      expect(reading.rows.map(({ id }) => id)).to.eql(['good']);
      const failure = await referenceSource(database)
        .read('tags', ['bad'])
        .catch((error: unknown) => error);
      expect(failure)
        .to.be.instanceOf(RowRefused)
        .and.have.property('message')
        .that.matches(/^the row cannot be read: invalid byte sequence/);
    } finally {
      await database.destroy();
    }
  });
});

describe('A category or a tag without a name', () => {
  it('is left out of the blogs, which are shown without it', async () => {
    const database = openDashboardDatabase(await createDashboard());
    try {
      await putIntoDashboard(database, 'blogs', aSourceBlog({ id: 'blog', websiteId: 'web' }));
      for (const table of ['categories', 'tags']) {
        await database.raw(`alter table ${table} alter name drop not null`);
        await database.raw(
          `insert into ${table} (id, website_id, name, slug) values ('named', 'web', 'A', 'a'), ('nameless', 'web', null, 'b')`,
        );
        await database.raw(
          `insert into blog_${table} select 'blog', id from ${table} where slug in ('a', 'b')`,
        );
      }
      const { rows, refused } = await referenceSource(database).read('blogs', ['blog']);
      expect(refused).to.eql([]);
      expect(rows[0]?.categories.map(({ id }) => id))
        .to.include('named')
        .and.not.include('nameless');
      expect(rows[0]?.tags.map(({ id }) => id))
        .to.include('named')
        .and.not.include('nameless');
    } finally {
      await database.destroy();
    }
  });
});
