import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { readMapping } from '../../../../../src/adapters/dashboard/mapping/read-mapping.js';
import { POSTGRES_ENGINE } from '../../../../../src/adapters/dashboard/postgres/engine.js';
import { checkMapping } from '../../../../../src/adapters/dashboard/source/mapping-check.js';
import { openDashboardDatabase } from '../../../../../src/adapters/sql/postgres/open-database.js';
import { REFERENCE_MAPPING } from '../../../../../src/composition/project-folders.js';
import { mappingMistakes } from '../../../../support/dashboards/mapping-mistakes.js';
import {
  NEWSROOM,
  NEWSROOM_CONTENT,
  NEWSROOM_MAPPING,
} from '../../../../support/dashboards/second-dashboard.js';
import { createDashboard } from '../../../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../../../support/postgres/test-postgres.js';

const keysWith = (hash: string) =>
  `select '1' as id, 'acme' as organization_id, ${hash} as key_hash, null::timestamptz as expires_at, null::timestamptz as revoked_at`;

interface Case {
  /** A part of the mapping, and its replacement. */
  readonly replace?: readonly [string, string];
  /** Statements that change the tables, and that are rolled back afterwards. */
  readonly sql?: string;
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  'nothing if everything is right': {},
  'a select that PostgreSQL does not parse': {
    replace: ['select section_no as id,', 'select section_no as as id,'],
    errors: ['categories: the select fails: syntax error at or near "id"'],
  },
  'a column that the select lacks': {
    replace: ['article.live_since as published_at', 'article.live_since'],
    errors: ['blogs: there is no column published_at; add `… as published_at` to the select'],
  },
  'a type that is not text': {
    replace: ['article.headline as title', 'article.article_no as title'],
    errors: ['blogs: the column title has the type bigint; expected text: write `title::text as title`'],
  },
  'a hash of a key that consists of bytes': {
    replace: ['api_keys: managed', `api_keys: ${keysWith("'\\x00'::bytea")}`],
    errors: [
      "api_keys: the column key_hash has the type bytea; expected text: write `encode(key_hash, 'hex') as key_hash`",
    ],
  },
  'a type that is not a whole number': {
    replace: ['article.words as word_count', 'article.words / 2.0 as word_count'],
    errors: [
      'blogs: the column word_count has the type numeric; expected a whole number: write `word_count::integer as word_count`',
    ],
  },
  'a status that is not text': {
    replace: [
      `case when article.is_live and coalesce(article.teaser, '') <> '?' then 'published' else 'draft' end`,
      'article.is_live',
    ],
    errors: [
      "blogs: the column status has the type boolean; expected text that is 'published' if the blog is shown: write `case when … then 'published' else 'draft' end as status`",
    ],
  },
  'a time without a zone': {
    replace: ['time_zone: Europe/Paris\n', ''],
    errors: [
      'blogs: the column published_at has the type timestamp without time zone, which has no time zone: set time_zone',
    ],
  },
  'a day instead of a time': {
    replace: ['article.live_since as published_at', 'article.live_since::date as published_at'],
    errors: [
      'blogs: the column published_at has the type date; expected a time with a zone: write `published_at::timestamp as published_at`',
    ],
  },
  'an id of a type that is refused': {
    replace: ['select label_no as id', 'select label_no::numeric as id'],
    errors: [
      'tags: the column id has the type numeric; expected text, a UUID or a whole number: write `id::text as id`',
      'captures.newsroom.labels.tags: the key has the type bigint, but the ids have the type numeric; use an expression of that type',
    ],
  },
  'a captured table whose name has capitals, without quotes': {
    sql: 'create table newsroom."BlogPosts" (n text)',
    replace: ['captures:\n', 'captures:\n  newsroom.BlogPosts: { blogs: n }\n'],
    errors: [
      'captures.newsroom.BlogPosts: there is no such table; correct its name, and quote capital letters',
    ],
  },
  'a column whose name has capitals, without quotes': {
    sql: 'alter table newsroom.sections add column "publicPath" text',
    replace: ['path as slug from newsroom.sections', 'publicPath as slug from newsroom.sections'],
    errors: [
      'categories: the select fails: column "publicpath" does not exist (Perhaps you meant to reference the column "sections.publicPath".)',
    ],
  },
  'nothing if a table is named like a keyword': {
    sql: 'create table newsroom."user" (n text)',
    replace: [
      'api_keys: managed\ncaptures:\n',
      'organizations: select n as id from newsroom."user" where n is null\napi_keys: managed\ncaptures:\n  newsroom.user: { organizations: n }\n',
    ],
  },
  'nothing if a text looks like a placeholder': {
    replace: ['article.headline as title', `article.headline || ' $1::' as title`],
  },
  'nothing if that part has none': {
    sql: 'create table newsroom.reviews () inherits (newsroom.articles)',
    replace: ['captures:\n', 'captures:\n  newsroom.reviews: {}\n'],
  },
  'a captured view': {
    sql: 'create view newsroom.live as select * from newsroom.articles where is_live',
    replace: ['captures:\n', 'captures:\n  newsroom.live: { blogs: article_no }\n'],
    errors: [
      'captures.newsroom.live: it is a view or something else whose changes cannot be captured; list the tables that it reads instead',
    ],
  },
  'a key with a name that another role could define': {
    sql: `create function public.noted_by_all(bigint) returns bigint language sql as 'select $1'`,
    replace: [
      'newsroom.addresses: { blogs: article_no }',
      'newsroom.addresses: { blogs: noted_by_all(article_no) }',
    ],
    errors: [
      'captures.newsroom.addresses.blogs: the key fails: function noted_by_all(bigint) does not exist (No function matches the given name and argument types. You might need to add explicit type casts.)',
    ],
  },
  'a key that fails': {
    replace: ['newsroom.addresses: { blogs: article_no }', 'newsroom.addresses: { blogs: article }'],
    errors: [
      'captures.newsroom.addresses.blogs: the key fails: column "article" does not exist (Perhaps you meant to reference the column "changed.article_no".)',
    ],
  },
  'a key that fails for some rows': {
    replace: [
      'newsroom.addresses: { blogs: article_no }',
      'newsroom.addresses: { blogs: article_no / (article_no - 7) }',
    ],
    errors: ['captures.newsroom.addresses.blogs: the key fails: division by zero'],
  },
  'a key of another type': {
    replace: ['newsroom.addresses: { blogs: article_no }', 'newsroom.addresses: { blogs: path }'],
    errors: [
      'captures.newsroom.addresses.blogs: the key has the type text, but the ids have the type bigint; use an expression of that type',
    ],
  },
  'a table that is read through a view': {
    sql: 'create table newsroom.hidden (n int); create view newsroom.paths as select article_no, path from newsroom.addresses, newsroom.hidden',
    replace: ['join newsroom.addresses', 'join newsroom.paths'],
    errors: [
      'blogs: the select reads newsroom.hidden, which is not under captures; add it with the keys of the rows that it affects, or with {} if it never changes',
    ],
  },
  'nothing if a row has several keys': {
    sql: 'alter table newsroom.addresses add column others bigint[]',
    replace: [
      'newsroom.addresses: { blogs: article_no }',
      'newsroom.addresses: { blogs: unnest(others || article_no) }',
    ],
  },
  ...Object.fromEntries(
    [
      ['article.live_since <= now()', 'now()'],
      ['article.live_since <= localtimestamp', 'localtimestamp'],
      ['article.live_since::date <= CURRENT_DATE', 'current_date'],
      ['random() < 0.5', 'random()'],
      ["article.live_since <= 'now'::timestamptz", "'now'::timestamptz"],
      ["article.live_since <= timestamp 'today'", "timestamp 'today'"],
      ["article.live_since <= cast('tomorrow' as date)", "cast('tomorrow'"],
    ].map(([condition, what]): [string, Case] => [
      `a select that uses the clock: ${condition}`,
      {
        replace: ['article.is_live and', `${condition} and`],
        errors: [
          `blogs: the select uses ${what}, whose value changes without a change of a table, so the worker would not notice when a row comes or goes; have the dashboard, or a job that runs regularly, set a status when the time comes, and map that status`,
        ],
      },
    ]),
  ),
  'nothing for times and functions that do not read the clock': {
    replace: [
      'article.is_live and',
      `age(article.live_since, '2020-01-01') > '0' and article.headline not in ('now() or current_date', 'now') and newsroom.shows(article.article_no)
        and to_char(article.live_since::timestamptz, 'YYYY') <> '' and`,
    ],
    sql: 'create function newsroom.shows(bigint) returns boolean language plpgsql immutable as $$ begin return $1 > 0; /* now */ end $$',
  },
};

describe('A mistake in a mapping for PostgreSQL', () => {
  mappingMistakes(
    readMapping(fileURLToPath(REFERENCE_MAPPING)),
    async () => openDashboardDatabase(await createDashboard()),
    POSTGRES_ENGINE,
  );
});

describe('The check of a mapping names', () => {
  let database: Knex;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mapping-'));
    database = openDashboardDatabase(await createTestDatabase());
    await database.raw(NEWSROOM);
    await database.raw(NEWSROOM_CONTENT);
  });
  after(() => Promise.all([database.destroy(), rm(folder, { recursive: true })]));

  for (const [what, { replace, sql, errors = [], warnings = [] }] of Object.entries(CASES)) {
    it(what, async () => {
      const file = join(folder, 'mapping.yaml');
      if (replace !== undefined) expect(NEWSROOM_MAPPING).to.contain(replace[0]);
      await writeFile(file, replace === undefined ? NEWSROOM_MAPPING : NEWSROOM_MAPPING.replace(...replace));
      const transaction = await database.transaction();
      try {
        if (sql !== undefined) await transaction.raw(`${sql}; analyze newsroom.labels`);
        expect(await checkMapping(transaction, readMapping(file), POSTGRES_ENGINE)).to.eql({
          errors,
          warnings,
        });
      } finally {
        await transaction.rollback();
      }
    });
  }

  it('a key that writes, and lets it write nothing', async () => {
    await database.raw(
      `create function newsroom.noted(bigint) returns bigint language sql as 'insert into newsroom.labels values (99, 1, $$x$$) returning $1'`,
    );
    const file = join(folder, 'mapping.yaml');
    const key = 'newsroom.addresses: { blogs: article_no }';
    await writeFile(
      file,
      NEWSROOM_MAPPING.replace(key, key.replace('article_no', 'newsroom.noted(article_no)')),
    );
    const { errors } = await checkMapping(database, readMapping(file), POSTGRES_ENGINE);
    expect(errors).to.eql([
      'captures.newsroom.addresses.blogs: the key fails: cannot execute INSERT in a read-only transaction (SQL function "noted" statement 1)',
    ]);
    expect(await database('newsroom.labels').where({ label_no: 99 })).to.eql([]);
  });
});

/** The tables that Strapi creates, with the columns that the mapping reads. */
const STRAPI = `
  create table websites (id integer primary key, document_id text, published_at timestamp);
  create table articles (id integer primary key, document_id text, title text, slug text, excerpt text, content text, published_at timestamp);
  create table categories (id integer primary key, document_id text, name text, slug text, description text, sort_order integer, published_at timestamp);
  create table tags (id integer primary key, document_id text, name text, slug text, color text, published_at timestamp);
  create table articles_website_lnk (id integer primary key, article_id integer, website_id integer);
  create table categories_website_lnk (id integer primary key, category_id integer, website_id integer);
  create table tags_website_lnk (id integer primary key, tag_id integer, website_id integer);
  create table categories_parent_lnk (id integer primary key, category_id integer, inv_category_id integer);
  create table articles_categories_lnk (id integer primary key, article_id integer, category_id integer);
  create table articles_tags_lnk (id integer primary key, article_id integer, tag_id integer);
  create table articles_cmps (id integer primary key, entity_id integer, cmp_id integer, component_type text, field text);
  create table components_shared_seos (id integer primary key, meta_title text, meta_description text);
  create table files (id integer primary key, url text, alternative_text text);
  create table files_related_mph (id integer primary key, file_id integer, related_id integer, related_type text, field text);`;

describe('The check of the mapping for Strapi', () => {
  it('reports nothing', async () => {
    const database = openDashboardDatabase(await createTestDatabase());
    try {
      await database.raw(STRAPI);
      const mapping = readMapping('docs/examples/dashboards/strapi/mapping.yaml');
      expect(await checkMapping(database, mapping, POSTGRES_ENGINE)).to.eql({ errors: [], warnings: [] });
    } finally {
      await database.destroy();
    }
  });
});
