import { expect } from 'chai';
import type { Knex } from 'knex';
import { MYSQL_ENGINE } from '../../../../../src/adapters/dashboard/mysql/engine.js';
import { nextKeysIn } from '../../../../../src/adapters/dashboard/source/keys-in-scope.js';
import { SourceReader } from '../../../../../src/adapters/dashboard/source/source-reader.js';
import {
  rowsStatement,
  sizesStatement,
} from '../../../../../src/adapters/dashboard/source/source-statements.js';
import type {
  SourceTables,
  StatementForIds,
} from '../../../../../src/adapters/dashboard/source/source-tables.js';
import type { Scope } from '../../../../../src/domain/model/job.js';
import { MYSQL_MAPPING, openMysqlDashboard } from '../../../../support/dashboards/mysql-dashboard.js';
import { createTestMariaDbDatabase } from '../../../support/servers/test-mariadb.js';

const BLOGS = 20_000;
const PAGE = 500;
/** MariaDB would convert a longer list into a table. */
const MANY = 3_000;

/** The types of ids, each with the expression that creates one. */
const TYPES = [
  ['bigint', 'seq'],
  ['bigint unsigned', '18446744073709551615 - seq'],
  ['char(36)', 'md5(seq)'],
  ['uuid', 'uuid()'],
  ['varchar(50) character set ascii', 'md5(seq)'],
  ['varchar(50) character set latin1', `concat('é', md5(seq))`],
  ['varchar(50) collate utf8mb4_general_ci', `concat('Ä', md5(seq))`],
  ['varchar(50) collate utf8mb4_unicode_ci', `concat('Ä', md5(seq))`],
  ['varchar(50) collate utf8mb4_bin', `concat('Ä', md5(seq))`],
] as const;

/** Access to a part of an index, instead of a scan of all of it. */
const BY_KEY = ['range', 'ref', 'eq_ref'];

/** Ids that each collation, and JavaScript, sort differently. */
const ODD_IDS = ['_', '-', 'a', 'B', 'c1', 'C2', 'é', 'f', 'É2', 'z', 'Z2', 'ä3', '日', '🌊', '10', '9', '~'];

interface Planned {
  readonly table: string | null;
  readonly type: string;
  readonly key: string | null;
}

function next(tables: SourceTables, scope: Scope, after: string | null, limit: number): string {
  return nextKeysIn(tables, 'blogs', scope, after, limit) ?? '';
}

function written(tables: SourceTables, { source, sql }: StatementForIds, ids: readonly string[]): string {
  return sql(tables.isOneOf(source, 'mapped', 'id', ids));
}

describe('A walk through a table of MariaDB', () => {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createTestMariaDbDatabase(this));
  });

  after(async () => {
    await database?.destroy();
  });

  async function blogsWith(type: string): Promise<void> {
    await database.raw('drop table if exists blogs, blog_tags');
    await database.raw(
      `create table blogs (id ${type} primary key, title varchar(100), slug varchar(100), body text, status varchar(20), published_at datetime)`,
    );
    await database.raw(
      `create table blog_tags (blog_id ${type}, tag_id int, primary key (blog_id, tag_id), key (tag_id, blog_id))`,
    );
  }

  async function mapped(): Promise<SourceTables> {
    const mapping = {
      ...MYSQL_MAPPING,
      selects: {
        organizations: null,
        websites: `select 'w' as id, 'o' as organization_id`,
        blogs: `select id, 'w' as website_id, title, slug, body as content_html, status, published_at from blogs`,
        categories: null,
        tags: `select 1 as id, 'w' as website_id, 'a' as name, 'a' as slug`,
        blog_categories: null,
        blog_tags: 'select blog_id, tag_id from blog_tags',
        api_keys: `select 'k' as id, 'o' as organization_id, 'h' as key_hash, null as expires_at, null as revoked_at`,
      },
    };
    return new SourceReader(mapping, MYSQL_ENGINE).tables(database, 'blogs');
  }

  /** How a statement reads the two tables. */
  async function plansOf(statement: string): Promise<readonly Planned[]> {
    const [rows] = (await database.raw(`explain ${statement}`)) as [readonly Planned[]];
    return rows.filter(({ table }) => table === 'blogs' || table === 'blog_tags');
  }

  for (const [type, id] of TYPES) {
    it(`uses the index of its key if that is ${type}`, async () => {
      await blogsWith(type);
      await database.raw(
        `insert into blogs select ${id}, 'x', 'y', repeat('b', 500), 'published', now() from seq_1_to_${BLOGS}`,
      );
      await database.raw('insert into blog_tags select id, 1 from blogs');
      await database.raw('analyze table blogs, blog_tags');
      const tables = await mapped();
      const [ids] = (await database.raw(`select id from blogs order by id limit ${MANY} offset 9000`)) as [
        readonly { readonly id: string }[],
      ];
      const all = ids.map((row) => row.id);
      const [few, after = ''] = [all.slice(0, PAGE), all[0]];
      const first = await plansOf(next(tables, { kind: 'everything' }, null, PAGE));
      expect(first.map(({ key }) => key)).to.eql(['PRIMARY']);
      for (const statement of [
        next(tables, { kind: 'everything' }, after, PAGE),
        next(tables, { kind: 'tags', keys: ['1'] }, after, PAGE),
        ...[few, all].flatMap((some) =>
          [sizesStatement, rowsStatement].map((of) => written(tables, of(tables, 'blogs'), some)),
        ),
        written(tables, tables.links('tags'), few),
      ]) {
        const plans = await plansOf(statement);
        expect(plans, statement.slice(0, 200)).not.to.eql([]);
        for (const { type: access } of plans) expect(access, statement.slice(0, 200)).to.be.oneOf(BY_KEY);
      }
    });
  }

  for (const type of TYPES.map(([each]) => each).filter((each) => /utf8mb4|latin1/.test(each))) {
    it(`returns each id once in the order of ${type}`, async () => {
      const ids = type.includes('latin1') ? ODD_IDS.filter((id) => !/日|🌊/u.test(id)) : ODD_IDS;
      await blogsWith(type);
      await database('blogs').insert(ids.map((id) => ({ id, title: 'x', status: 'published' })));
      const tables = await mapped();
      const walked: string[] = [];
      for (let after: string | null = null; ; after = walked.at(-1) ?? null) {
        const [rows] = (await database.raw(next(tables, { kind: 'everything' }, after, 2))) as [
          readonly { readonly key: string }[],
        ];
        if (rows.length === 0) break;
        walked.push(...rows.map(({ key }) => key));
        expect(walked.length).to.be.at.most(ids.length);
      }
      expect(walked).to.have.members([...ids]);
    });
  }
});
