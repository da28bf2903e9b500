import { type Engine, virtualColumn } from './history-dashboards.js';

/** Three small numbers choose the rows and the values of a statement. */
type Statement = (a: number, b: number, c: number) => string;

/**
 * Ids, some in capitals, as references may be where the collation ignores case. On MariaDB, the last one ends with the
 * character NUL.
 */
const ids = (letter: string, count: number) => (n: number) => {
  const spelling = Math.floor(n / count) % 16;
  const id = `${letter}${n % count}`;
  return spelling < 11 ? id : spelling < 15 ? id.toUpperCase() : `${id}\\0`;
};
/** Added to the number of a website, it spells the same id in capitals. */
const IN_CAPITALS = 33;
const organization = ids('o', 2);
const website = ids('w', 3);
const blog = ids('b', 5);
const category = ids('c', 4);
const tag = ids('t', 3);
const key = ids('k', 3);
const slug = (n: number) => `s${n % 16}`;
/** One lower-case letter: see the expected read model. */
const name = (n: number) => String.fromCharCode(97 + (n % 8));
const pick = <Value>(values: readonly Value[], n: number) => values[n % values.length] as Value;

/** The tables whose slugs are unique in a website, and an id of theirs. */
const PLACED = [
  { table: 'blogs', idOf: blog },
  { table: 'categories', idOf: category },
  { table: 'tags', idOf: tag },
] as const;
const ALL = [
  ...PLACED,
  { table: 'organizations', idOf: organization },
  { table: 'websites', idOf: website },
  { table: 'api_keys', idOf: key },
] as const;

/** What the two engines write differently. */
interface Dialect {
  /** A time with more digits than are shown. */
  readonly time: (n: number) => string;
  readonly now: string;
  /** Longer than any index of the read tables holds. */
  readonly tooLong: string;
  /** Values of a blog that only this engine has. */
  readonly edits: readonly Statement[];
  /** Inserts the row, or sets this column if there is a row with this id. The values are expressions. */
  readonly upsert: (table: string, row: Readonly<Record<string, string>>, column: string) => string;
  readonly putTag: (row: Readonly<Record<string, string>>) => string;
  /** Completes `insert into …`; existing rows stay as they are. */
  readonly insertMissing: (into: string) => string;
  readonly swapSlugs: (table: string, id: string, other: string) => string;
  readonly empty: (table: string, cascades: boolean) => string;
  /** Changes rows without firing a trigger. */
  readonly tableChanges: readonly Statement[];
}

function insertion(table: string, row: Readonly<Record<string, string>>): string {
  return `into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`;
}

const POSTGRES: Dialect = {
  time: (n) => `timestamptz '2026-01-01 00:00:00.123456Z' + ${n % 50} * interval '26:01:01.0017'`,
  now: 'clock_timestamp()',
  tooLong: `repeat('y', 1001)`,
  // No calendar can show it: not shown until it is corrected.
  edits: [() => `published_at = 'infinity'`, (a) => `meta_title = 'Meta ${a}'`],
  upsert: (table, row, column) =>
    `insert ${insertion(table, row)} on conflict (id) do update set ${column} = excluded.${column}`,
  putTag: (row) =>
    `merge into tags using (values (${Object.values(row).join(', ')})) as new (id, website_id, name, slug)
    on tags.id = new.id when matched then update set website_id = new.website_id
    when not matched then insert (id, website_id, name, slug) values (new.id, new.website_id, new.name, new.slug)`,
  insertMissing: (into) => `insert into ${into} on conflict do nothing`,
  swapSlugs: (table, id, other) => {
    const slugOf = (each: string) => `(select slug from ${table} where id = '${each}')`;
    return `do $$ declare one text := ${slugOf(id)}; other text := ${slugOf(other)}; begin
      if one is null or other is null then return; end if;
      set constraints all deferred;
      update ${table} set slug = other where id = '${id}';
      update ${table} set slug = one where id = '${other}';
    end $$`;
  },
  empty: (table, cascades) => `truncate ${table} ${cascades ? 'cascade' : ''}`,
  tableChanges: [
    () => 'alter table blogs drop column excerpt, add column excerpt text',
    (a) =>
      `alter table categories drop column sort_order, add column sort_order integer not null default ${a % 3}`,
  ],
};

const MYSQL: Dialect = {
  time: (n) =>
    `cast('2026-01-01 00:00:00.123456' as datetime(6)) + interval ${((n % 50) * 93_661.0017).toFixed(4)} second`,
  now: 'utc_timestamp(6)',
  tooLong: `repeat('日', 400)`,
  edits: [],
  upsert: (table, row, column) =>
    `insert ${insertion(table, row)} on duplicate key update ${column} = values(${column})`,
  // Deletes the replaced row and everything that refers to it.
  putTag: (row) => `replace ${insertion('tags', row)}`,
  insertMissing: (into) => `insert ignore into ${into}`,
  swapSlugs: (table, id, other) =>
    `update ${table} set slug = concat(left(slug, 3), '~', id) where id in ('${id}', '${other}')`,
  // TRUNCATE is refused for tables to which others refer.
  empty: (table) => `${/^(blog_|api)/.test(table) ? 'truncate' : 'delete from'} ${table}`,
  tableChanges: [
    () => 'alter table blogs drop column excerpt, add column excerpt mediumtext character set utf8mb4',
    (a) =>
      `alter table categories drop column sort_order, add column sort_order integer not null default ${a % 3}`,
    (a) => `alter table blogs modify column ${virtualColumn(`Meta ${a} of `)}`,
  ],
};

/**
 * Every kind of change that a dashboard makes. Some are refused, depending on the rows: that is a kind of change,
 * too.
 */
function statementsIn(dialect: Dialect) {
  const { time, now, tooLong, upsert, insertMissing } = dialect;
  const edits: readonly Statement[] = [
    (a) => `title = 'Title ${a}'`,
    (a) => `excerpt = nullif('Excerpt ${a % 3}', 'Excerpt 0')`,
    (a) => `meta_description = 'Description ${a}'`,
    (a) => `featured_image_url = 'https://example.com/${a}', featured_image_alt = 'Alt ${a}'`,
    (a) => `content_html = '<p>${a}</p>', word_count = ${a}, reading_time_minutes = ${a}`,
    (a) => `published_at = ${time(a)}`,
    () => `slug = ${tooLong}`,
    // Changes nothing that is shown.
    () => 'updated_at = now()',
    ...dialect.edits,
  ];
  const bulk: readonly Statement[] = [
    () => `update blogs set title = concat(title, '!')`,
    () => `update blogs set status = 'archived' where status = 'published'`,
    (a) => `update blogs set status = 'published', published_at = ${time(a)}`,
    (a) => `update blogs set website_id = '${website(a)}', slug = id`,
    (a) => `update categories set name = '${name(a)}', sort_order = -sort_order`,
    (a) => `update categories set parent_id = '${category(a)}'`,
    (a) => `update tags set name = '${name(a)}', slug = concat('of-', id)`,
    (a) => `update websites set organization_id = '${organization(a)}'`,
    () => insertMissing('blog_tags select blogs.id, tags.id from blogs, tags'),
    () => insertMissing('blog_categories select blogs.id, categories.id from blogs, categories'),
    () => 'delete from blog_tags',
    () => 'delete from categories',
    () => `update api_keys set revoked_at = ${now} where revoked_at is null`,
  ];
  return {
    'put organization': (a, b) =>
      upsert('organizations', { id: `'${organization(a)}'`, name: `'${name(b)}'` }, 'name'),
    'put website': (a, b) =>
      upsert(
        'websites',
        { id: `'${website(a)}'`, organization_id: `'${organization(b)}'`, name: `''` },
        'organization_id',
      ),
    'put blog': (a, b, c) =>
      upsert(
        'blogs',
        {
          id: `'${blog(a)}'`,
          website_id: `'${website(b)}'`,
          title: `'Title'`,
          slug: `'${slug(c)}'`,
          status: `'published'`,
          published_at: time(c),
        },
        'website_id',
      ),
    'put category': (a, b, c) =>
      upsert('categories', { ...placed(category(a), b, c), sort_order: `${c % 3}` }, 'website_id'),
    'put tag': (a, b, c) => dialect.putTag(placed(tag(a), b, c)),
    'put key': (a, b) =>
      upsert(
        'api_keys',
        { id: `'${key(a)}'`, organization_id: `'${organization(b)}'`, key_hash: `'hash of ${key(a)}'` },
        'organization_id',
      ),
    'edit blog': (a, b, c) => `update blogs set ${pick(edits, b)(c, 0, 0)} where id = '${blog(a)}'`,
    'edit category': (a, b, c) =>
      `update categories set name = '${name(b)}', sort_order = ${c % 3}, description = 'D${c}' where id = '${category(a)}'`,
    'edit tag': (a, b, c) =>
      `update tags set name = '${name(b)}', color = '#00000${c % 10}' where id = '${tag(a)}'`,
    'change status': (a, b, c) =>
      `update blogs set status = '${pick(['draft', 'scheduled', 'published', 'archived'], b)}', published_at = ${time(c)}
      where id = '${blog(a)}'`,
    'change slug': (a, b, c) => {
      const { table, idOf } = pick(PLACED, a);
      return `update ${table} set slug = ${c % 5 === 0 ? tooLong : `'${slug(c)}'`} where id = '${idOf(b)}'`;
    },
    'swap slugs': (a, b, c) => {
      const { table, idOf } = pick(PLACED, a);
      return dialect.swapSlugs(table, idOf(b), idOf(c));
    },
    move: (a, b, c) => {
      const { table, idOf } = pick(PLACED, a);
      return `update ${table} set website_id = '${website(c)}' where id = '${idOf(b)}'`;
    },
    'set parent': (a, b) =>
      `update categories set parent_id = nullif('${category(b)}', id) where id = '${category(a)}'`,
    link: (a, b, c) =>
      insertMissing(
        c % 2 === 0
          ? `blog_categories values ('${blog(a)}', '${category(b)}')`
          : `blog_tags values ('${blog(a)}', '${tag(b)}')`,
      ),
    unlink: (a, b, c) =>
      c % 2 === 0
        ? `delete from blog_categories where blog_id = '${blog(a)}' and category_id = '${category(b)}'`
        : `delete from blog_tags where blog_id = '${blog(a)}' and tag_id = '${tag(b)}'`,
    'revoke key': (a) =>
      `update api_keys set revoked_at = ${now} where id = '${key(a)}' and revoked_at is null`,
    'let key expire': (a, b) => `update api_keys set expires_at = ${time(b)} where id = '${key(a)}'`,
    'change id': (a, b, c) => {
      const { table, idOf } = pick(ALL, a);
      return `update ${table} set id = '${idOf(c)}' where id = '${idOf(b)}'`;
    },
    'change many': (a, b) => pick(bulk, a)(b, 0, 0),
    'change nothing': (a) => {
      const { table } = pick(ALL, a);
      return `update ${table} set id = id`;
    },
    delete: (a, b) => {
      const { table, idOf } = pick(ALL, a);
      return `delete from ${table} where id = '${idOf(b)}'`;
    },
    truncate: (a, b) => {
      const table = pick([...ALL.map((each) => each.table), 'blog_categories', 'blog_tags'], a);
      return dialect.empty(table, b % 3 !== 0);
    },
    'change table': (a, b) => pick(dialect.tableChanges, a)(b, 0, 0),
  } satisfies Readonly<Record<string, Statement>>;
}

/** The columns that a category and a tag have in common. */
function placed(id: string, b: number, c: number) {
  return { id: `'${id}'`, website_id: `'${website(b)}'`, name: `'${name(c)}'`, slug: `'${slug(c)}'` };
}

export const STATEMENTS = { postgres: statementsIn(POSTGRES), mysql: statementsIn(MYSQL) };
export type StatementName = keyof (typeof STATEMENTS)[Engine];

/** The rows at the start of every history. References to websites, and some to blogs, are in capitals. */
export function beginningOn(engine: Engine): readonly string[] {
  const put = STATEMENTS[engine];
  const someInCapitals = `case when blogs.id < 'b2' then upper(blogs.id) else blogs.id end`;
  return [
    ...[0, 1].map((n) => put['put organization'](n, n)),
    ...[0, 1, 2].map((n) => put['put website'](n, n)),
    ...[0, 1, 2, 3].map((n) => put['put blog'](n, n + IN_CAPITALS, n)),
    ...[0, 1, 2, 3].map((n) => put['put category'](n, n, n)),
    ...[0, 1, 2].map((n) => put['put tag'](n, n, n)),
    ...[0, 1].map((n) => put['put key'](n, n)),
    put['set parent'](3, 0),
    `insert into blog_categories select ${someInCapitals}, categories.id from blogs, categories`,
    `insert into blog_tags select ${someInCapitals}, tags.id from blogs, tags`,
  ];
}

export const BULK_INSERTIONS = ['blogs', 'categories', 'websites'] as const;

/** A statement for many rows of one tenant. */
export function bulkInsertion(table: (typeof BULK_INSERTIONS)[number], rows: number): string {
  const row: Readonly<Record<string, string>> = {
    id: `concat('s', n)`,
    ...(table === 'websites'
      ? { organization_id: `'o0'`, name: `''` }
      : { website_id: `'w0'`, slug: `concat('of-s', n)` }),
    ...(table === 'blogs' ? { title: `''`, status: `'published'`, published_at: 'current_timestamp' } : {}),
    ...(table === 'categories' ? { name: `''` } : {}),
  };
  return `insert into ${table} (${Object.keys(row).join(', ')})
    with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < ${rows})
    select ${Object.values(row).join(', ')} from numbers`;
}
