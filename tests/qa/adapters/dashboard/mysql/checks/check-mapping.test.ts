import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  type DashboardMapping,
  type SourceName,
  withManagedKeys,
} from '../../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { installCapture } from '../../../../../../src/adapters/dashboard/mysql/capture/capture.js';
import { ownFacts } from '../../../../../../src/adapters/dashboard/mysql/capture/capture-facts.js';
import { checkMapping } from '../../../../../../src/adapters/dashboard/mysql/checks/check-mapping.js';
import { MANAGED_KEYS } from '../../../../../../src/adapters/dashboard/mysql/key-table.js';
import {
  createMysqlDashboard,
  MYSQL_MAPPING,
  openMysqlDashboard,
} from '../../../../../support/dashboards/mysql-dashboard.js';

describe('A mapping, before anything is created in MariaDB,', () => {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createMysqlDashboard(this));
    await database.raw(
      'create table notes (id int, at datetime, raw binary(16), price decimal(5, 2), padded int(5) zerofill, site varchar(20))',
    );
    await database.raw('insert into notes (id) values (1), (1)');
    for (const [name, body] of [
      ['is_due(at datetime) returns int deterministic', 'at <= sysdate()'],
      ['shows(id varchar(50)) returns int', "id <> ''"],
      ['shows_always(id varchar(50)) returns int deterministic', "id <> ''"],
    ]) {
      await database.raw(`create function ${name} return ${body}`);
    }
    await database.raw(
      "create view due_now as select id from blogs where published_at <= utc_timestamp() and status <> ''",
    );
    await database.raw('create table old (id int primary key) engine = myisam');
  });

  after(async () => {
    await database?.destroy();
  });

  const NOTES = { table: 'notes', touches: {} };
  const check = async (mapping: DashboardMapping) =>
    checkMapping(database, mapping, await ownFacts(database));
  const withSelects = (
    selects: Partial<Record<SourceName, string>>,
    others: Partial<DashboardMapping> = {},
  ) =>
    check({
      ...MYSQL_MAPPING,
      captures: [...MYSQL_MAPPING.captures, NOTES],
      ...others,
      selects: { ...MYSQL_MAPPING.selects, ...selects },
    });

  it('is right if it is that of the reference schema', async () => {
    expect(await check(MYSQL_MAPPING)).to.deep.equal({ errors: [], warnings: [] });
  });

  it('is right if the project manages the keys, before and after their table is created', async () => {
    const managed = withManagedKeys({ ...MYSQL_MAPPING, hasManagedKeys: true }, MANAGED_KEYS);
    expect(await check(managed)).to.deep.equal({ errors: [], warnings: [] });
    await installCapture(database, managed);
    expect(await check(managed)).to.deep.equal({ errors: [], warnings: [] });
  });

  for (const [what, selects, expected] of [
    ['a select that fails', { tags: 'select id from nowhere' }, /^tags: the select fails: .*nowhere/],
    [
      'a column that is missing',
      { websites: 'select id from websites' },
      /^websites: there is no column organization_id; add /,
    ],
    [
      'an id that is binary',
      { tags: `select raw as id, site as website_id, 'x' as name, 'x' as slug from notes` },
      /^tags: the column id is binary; expected text or an integer: write `hex\(id\) as id`/,
    ],
    [
      'an id that is not an integer',
      { tags: `select price as id, site as website_id, 'x' as name, 'x' as slug from notes` },
      /^tags: the column id is neither text nor an integer/,
    ],
    [
      'an id that is padded with zeros',
      { tags: `select padded as id, site as website_id, 'x' as name, 'x' as slug from notes` },
      /^tags: the column id is ZEROFILL/,
    ],
    [
      'a key that several rows have',
      { tags: `select id, site as website_id, 'x' as name, 'x' as slug from notes` },
      /^tags: 2 rows have the id 1; return one row/,
    ],
    [
      'a time of another type',
      { api_keys: 'select id, organization_id, key_hash, key_hash as expires_at, revoked_at from api_keys' },
      /^api_keys: the column expires_at is not a time: write/,
    ],
  ] as const) {
    it(`is refused for ${what}, with a message of its own`, async () => {
      const { errors } = await withSelects(selects);
      expect(errors).to.have.length(1);
      expect(errors[0]).to.match(expected);
    });
  }

  const withStatus = (condition: string) =>
    withSelects(
      {
        blogs: (MYSQL_MAPPING.selects.blogs ?? '').replace(
          /\bstatus\b/,
          `case when ${condition} then 'published' else 'draft' end as status`,
        ),
      },
      { captures: [...MYSQL_MAPPING.captures, NOTES] },
    );

  for (const [condition, problem] of [
    ['published_at <= now()', 'uses now()'],
    ['published_at <= NOW(3)', 'uses now()'],
    ['published_at < current_timestamp', 'uses current_timestamp'],
    ['published_at < curdate()', 'uses curdate()'],
    ['unix_timestamp(published_at) < unix_timestamp()', 'uses unix_timestamp()'],
    ['rand() < 0.5', 'uses rand()'],
    ['is_due(published_at)', 'uses is_due(), which uses sysdate()'],
    ['shows(id)', 'calls shows(), which is not deterministic'],
    ['id in (select id from due_now)', 'uses utc_timestamp'],
  ] as const) {
    it(`is refused if a select uses the clock: ${condition}`, async () => {
      const { errors } = await withStatus(condition);
      expect(errors).to.have.length(1);
      expect(errors[0]).to.contain(`blogs: the select ${problem}`).and.to.contain('map');
    });
  }

  it('may have texts, columns, conversions and deterministic functions that only look like the clock', async () => {
    const { errors } = await withStatus(
      `unix_timestamp(published_at) > 0 and title <> 'now()' and shows_always(id) and \`blogs\`.\`id\` <> '' /* now() */`,
    );
    expect(errors).to.deep.equal([]);
  });

  it('causes warnings about statuses that show no blog, hashes that no key can have, and two keys with one hash', async () => {
    const keys = ['upper(sha2(1, 256))', 'sha2(2, 256)', 'sha2(2, 256)'].map(
      (hash, n) =>
        `select ${n} as id, 'org' as organization_id, ${hash} as key_hash, cast(null as datetime) as expires_at, cast(null as datetime) as revoked_at`,
    );
    const { errors, warnings } = await withSelects({
      api_keys: keys.join(' union all '),
      blogs: `select 1 as id, 'web' as website_id, 'A' as title, 'a' as slug, '' as content_html, 'Published' as status, cast(null as datetime) as published_at`,
    });
    expect(errors).to.deep.equal([]);
    expect(warnings.map((warning) => warning.split(/, so |; write/)[0])).to.deep.equal([
      "blogs: no row has the status 'published'",
      'api_keys: key_hash is not 64 lower-case hex digits in 1 row',
      'api_keys: 2 rows have the same key_hash, among them those with the ids 1 and 2',
    ]);
    expect(warnings[0]).to.contain("the status is 'Published' in 1; ");
  });

  it('is refused if its time zone does not exist', async () => {
    const { errors } = await check({ ...MYSQL_MAPPING, timeZone: 'Berlin' });
    expect(errors).to.deep.equal([
      'time_zone: there is no time zone Berlin; use a name such as Europe/Paris',
    ]);
  });

  it('is refused if a datetime has no zone', async () => {
    const { errors } = await check({ ...MYSQL_MAPPING, timeZone: null });
    expect(errors).to.have.members(
      [
        'blogs: the column published_at',
        'api_keys: the column expires_at',
        'api_keys: the column revoked_at',
      ].map(
        (column) => `${column} is a datetime, which has no time zone: set time_zone, such as time_zone: UTC`,
      ),
    );
  });

  it('is refused for a table that is read, but not captured', async () => {
    const { errors } = await withSelects(
      { organizations: 'select distinct site as id from notes' },
      { captures: MYSQL_MAPPING.captures },
    );
    expect(errors.join()).to.match(/^organizations: the select reads notes, which is not under captures/);
  });

  it('may have a select that ends with a comment', async () => {
    const { websites } = MYSQL_MAPPING.selects;
    expect(await withSelects({ websites: `${websites} -- all of them` })).to.deep.equal({
      errors: [],
      warnings: [],
    });
  });

  it('causes a warning about a table that is read, but captured for something else', async () => {
    const { warnings } = await check({
      ...MYSQL_MAPPING,
      captures: MYSQL_MAPPING.captures.map((each) =>
        each.table === 'blog_tags' ? { ...each, touches: { api_keys: 'tag_id' } } : each,
      ),
    });
    expect(warnings).to.deep.equal([
      'blog_tags: the select reads blog_tags, whose capture lists only api_keys, so its changes do not update blog_tags; add blogs with the key of the affected rows, unless the columns that the select reads never change',
    ]);
  });

  it('is refused if a foreign key to another database changes captured rows', async () => {
    const [[{ name }]] = await database.raw('select database() as name');
    const other = `${name}_other`;
    await database.raw(`create database ${other}`);
    await database.raw(`create table ${other}.tenants (id int primary key)`);
    const relate = (action: string) =>
      database.raw(
        `alter table websites add column tenant int, add constraint of_tenant foreign key (tenant) references ${other}.tenants (id) ${action}`,
      );
    await relate('on delete cascade');
    const { errors } = await check(MYSQL_MAPPING);
    await database.raw('alter table websites drop foreign key of_tenant, drop column tenant');
    await relate('on delete restrict');
    const allowed = await check(MYSQL_MAPPING);
    await database.raw('alter table websites drop foreign key of_tenant, drop column tenant');
    await database.raw(`drop database ${other}`);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.include(
      `captures.websites: a foreign key changes its rows together with those of ${other}.tenants`,
    );
    expect(allowed.errors).to.deep.equal([]);
  });

  it('causes a warning about a look-up by a column whose values may be long', async () => {
    const { warnings } = await check({
      ...MYSQL_MAPPING,
      captures: MYSQL_MAPPING.captures.map((each) =>
        each.table === 'tags' ? { ...each, touches: { blogs: 'select changed.name from dual' } } : each,
      ),
    });
    expect(warnings.join()).to.include(
      'captures.tags.blogs: the select names changed.name, whose values may be long',
    );
  });

  it('is refused for captures that cannot be installed', async () => {
    const { errors } = await check({
      ...MYSQL_MAPPING,
      captures: [
        ...MYSQL_MAPPING.captures,
        { table: 'gone', touches: {} },
        { table: 'old', touches: 'everything' },
        {
          table: 'notes',
          touches: { blogs: 'nothing', tags: 'select id from tags where id = changed.none' },
        },
      ],
    });
    expect(errors).to.have.length(4);
    expect(errors.join('\n')).to.match(
      /captures\.gone: there is no such table.*captures\.old: the table has the engine MyISAM.*captures\.notes\.blogs: .*nothing.*captures\.notes\.tags: .*none/s,
    );
  });
});
