import { expect } from 'chai';
import type {
  DashboardMapping,
  SourceName,
} from '../../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { MYSQL_ENGINE } from '../../../../../../src/adapters/dashboard/mysql/engine.js';
import { checkMapping } from '../../../../../../src/adapters/dashboard/source/mapping-check.js';
import { mappingMistakes } from '../../../../../support/dashboards/mapping-mistakes.js';
import {
  createMysqlDashboard,
  MYSQL_MAPPING,
  openMysqlDashboard,
  sharedMysqlDashboard,
} from '../../../../../support/dashboards/mysql-dashboard.js';

describe('A mistake in a mapping for MariaDB', () => {
  mappingMistakes(
    MYSQL_MAPPING,
    async (context) => openMysqlDashboard(await createMysqlDashboard(context)),
    MYSQL_ENGINE,
  );
});

describe('A mapping, before anything is created in MariaDB,', () => {
  const database = sharedMysqlDashboard(async (opened) => {
    await opened.raw(
      'create table notes (id int, at datetime, raw binary(16), price decimal(5, 2), site varchar(20))',
    );
    await opened.raw('insert into notes (id) values (1), (1)');
    await opened.raw('create table old (id int primary key) engine = myisam');
  });

  const NOTES = { table: 'notes', touches: {} };
  const check = (mapping: DashboardMapping) => checkMapping(database(), mapping, MYSQL_ENGINE);
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

  for (const [what, selects, expected] of [
    [
      'an id that is binary',
      { tags: `select raw as id, site as website_id, 'x' as name, 'x' as slug from notes` },
      /^tags: the column id has the type binary; expected text, a UUID or a whole number: write `hex\(id\) as id`/,
    ],
    [
      'an id that is not an integer',
      { tags: `select price as id, site as website_id, 'x' as name, 'x' as slug from notes` },
      /^tags: the column id has the type decimal; expected text/,
    ],
    [
      'a time of another type',
      { api_keys: 'select id, organization_id, key_hash, key_hash as expires_at, revoked_at from api_keys' },
      /^api_keys: the column expires_at has the type text; expected a time with a zone: write/,
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
  ] as const) {
    it(`is refused if a select uses the clock: ${condition}`, async () => {
      const { errors } = await withStatus(condition);
      expect(errors).to.have.length(1);
      expect(errors[0]).to.contain(`blogs: the select ${problem}`).and.to.contain('map');
    });
  }

  it('may have texts, columns and conversions that only look like the clock', async () => {
    const { errors } = await withStatus(
      `unix_timestamp(published_at) > 0 and title <> 'now()' and \`blogs\`.\`id\` <> '' /* now() */`,
    );
    expect(errors).to.deep.equal([]);
  });

  it('is refused if a datetime has no zone', async () => {
    const { errors } = await check({ ...MYSQL_MAPPING, timeZone: null });
    expect(errors).to.have.members(
      [
        'blogs: the column published_at',
        'api_keys: the column expires_at',
        'api_keys: the column revoked_at',
      ].map((column) => `${column} has the type datetime, which has no time zone: set time_zone`),
    );
  });

  it('writes nothing, even if a select calls a function that does', async () => {
    await database().raw(`create function noted() returns int deterministic modifies sql data
      begin insert into notes (id) values (99); return 1; end`);
    const { errors } = await withSelects({
      tags: `select noted() as id, site as website_id, 'x' as name, 'x' as slug from notes`,
    });
    expect(errors.join()).to.match(/^tags: the select fails: .*READ ONLY transaction/);
    expect(await database()('notes').where({ id: 99 })).to.deep.equal([]);
  });

  it('may have a select that ends with a comment', async () => {
    const { websites } = MYSQL_MAPPING.selects;
    expect(await withSelects({ websites: `${websites} -- all of them` })).to.deep.equal({
      errors: [],
      warnings: [],
    });
  });

  it('is reported if it converts bytes that are not UTF-8', async () => {
    const name = `case seq when 1 then x'ff' when 2 then x'c3a9' end`;
    const { errors, warnings } = await withSelects({
      tags: `select concat('t', seq) as id, 'web' as website_id, convert(name using utf8mb4) as name, 'x' as slug from (select seq, ${name} as name from seq_1_to_3) as t`,
    });
    expect([errors, warnings.length]).to.deep.equal([[], 1]);
    expect(warnings[0]).to.match(/^tags: name has bytes that are not UTF-8 in 1 row, which/);
  });

  it('may read a table that keeps its history', async () => {
    await database().raw('alter table tags add system versioning');
    const findings = await check(MYSQL_MAPPING);
    await database().raw('alter table tags drop system versioning');
    expect(findings).to.deep.equal({ errors: [], warnings: [] });
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
