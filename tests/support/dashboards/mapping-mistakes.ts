import { expect } from 'chai';
import type { Knex } from 'knex';
import type { DashboardMapping } from '../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import type { Engine } from '../../../src/adapters/dashboard/source/engine.js';
import { checkMapping } from '../../../src/adapters/dashboard/source/mapping-check.js';

const IS_TAGS = /^(public\.)?tags$/;
const KEY = 'id, organization_id, expires_at, revoked_at';
const TAGS = `select id, website_id, name, slug from tags`;

type Change = (mapping: DashboardMapping) => DashboardMapping;

/** A mistake in the mapping, and what every engine says of it, without the words of its server. */
const MISTAKES: Readonly<
  Record<string, { readonly change: Change; readonly error?: string; readonly warning?: string }>
> = {
  'a select that the server refuses': {
    change: withTags('select id, nothing from tags'),
    error: 'tags: the select fails: …',
  },
  'a select without a required column': {
    change: withTags('select id, website_id, name from tags'),
    error: 'tags: there is no column slug; add `… as slug` to the select',
  },
  'a select with an id for several rows': {
    change: withTags(`${TAGS} union all ${TAGS}`),
    error: 'tags: rows with the id tag: 2; return one row for each id, and none without an id',
  },
  'a select with an id that is null': {
    change: withTags(TAGS.replace('id,', `nullif(id, 'tag') as id,`)),
    error: 'tags: rows with the id null: 1; return one row for each id, and none without an id',
  },
  'a captured table that does not exist': {
    change: (mapping) => ({ ...mapping, captures: [...mapping.captures, { table: 'gone', touches: {} }] }),
    error: 'captures.gone: there is no such table; correct its name, and quote capital letters',
  },
  'a table that is read and not captured': {
    change: (mapping) => ({
      ...mapping,
      captures: mapping.captures.filter(({ table }) => !IS_TAGS.test(table)),
    }),
    error:
      'tags: the select reads tags, which is not under captures; add it with the keys of the rows that it affects, or with {} if it never changes',
  },
  'a key that the server refuses': {
    change: (mapping) => ({
      ...mapping,
      captures: mapping.captures.map((captured) =>
        IS_TAGS.test(captured.table) ? { ...captured, touches: { tags: 'nothing' } } : captured,
      ),
    }),
    error: 'captures.…tags.tags: the key fails: …',
  },
  'a select that reads the clock': {
    change: withTags(`${TAGS} where current_timestamp > '2020-01-01'`),
    error:
      'tags: the select uses …, whose value changes without a change of a table, so the worker would not …',
  },
  'a link whose type is not that of the ids': {
    change: withSelects({ blog_tags: 'select blog_id, 1 as tag_id from blog_tags' }),
    error:
      'blog_tags: the column tag_id has the type integer, but the ids of tags have the type text; convert …',
  },
  'a table that is captured for something else': {
    change: (mapping) => ({
      ...mapping,
      captures: mapping.captures.map((captured) =>
        IS_TAGS.test(captured.table) ? { ...captured, touches: { organizations: 'id' } } : captured,
      ),
    }),
    warning: 'tags: the select reads …tags, whose capture lists only organizations, so its changes do not …',
  },
  'published blogs without HTML': {
    change: (mapping) =>
      withSelects({
        blogs:
          mapping.selects.blogs?.replace('content_html', `nullif(content_html, '') as content_html`) ?? null,
      })(mapping),
    warning: 'blogs: content_html is null in 1 of 1 published rows, which are shown without a text: map …',
  },
  'published blogs without a time': {
    change: (mapping) =>
      withSelects({
        blogs:
          mapping.selects.blogs?.replace(
            'published_at',
            'nullif(published_at, published_at) as published_at',
          ) ?? null,
      })(mapping),
    warning: 'blogs: published_at is null in 1 of 1 published rows, which are not shown: …',
  },
  'hashes that no key can have': {
    change: withSelects({
      api_keys: `select ${KEY}, case id when 'a' then upper(key_hash) else concat('x', key_hash) end as key_hash from api_keys`,
    }),
    warning:
      'api_keys: key_hash is not 64 lower-case hex digits in 2 rows, so requests with these keys get …',
  },
};

function withTags(tags: string): Change {
  return withSelects({ tags });
}

function withSelects(selects: Partial<DashboardMapping['selects']>): Change {
  return (mapping) => ({ ...mapping, selects: { ...mapping.selects, ...selects } });
}

/** `reference`: the mapping of a dashboard that has the reference schema of its engine. */
export function mappingMistakes(
  reference: DashboardMapping,
  openDashboard: (context: Mocha.Context) => Promise<Knex>,
  engine: Engine,
): void {
  let database: Knex;

  before(async function () {
    database = await openDashboard(this);
    await database('organizations').insert({ id: 'org', name: 'Organization' });
    await database('websites').insert({ id: 'web', organization_id: 'org', name: 'Website' });
    await database('tags').insert({ id: 'tag', website_id: 'web', name: 'Tag', slug: 'tag' });
    await database('blogs').insert({
      id: 'blog',
      website_id: 'web',
      title: 'Blog',
      slug: 'blog',
      content_html: '',
      status: 'published',
      published_at: '2024-01-01 00:00:00',
    });
    for (const id of ['a', 'b']) {
      const key = { id, organization_id: 'org', name: '', key_hash: id.repeat(64), key_prefix: id };
      await database('api_keys').insert(key);
    }
  });

  after(async () => {
    await database?.destroy();
  });

  for (const [mistake, { change, error = '', warning = '' }] of Object.entries(MISTAKES)) {
    it(`is reported in the words of every engine: ${mistake}`, async () => {
      const { errors, warnings } = await checkMapping(database, change(reference), engine);
      const text = [...errors, ...warnings].join();
      expect([errors.length, warnings.length], text).to.eql(error === '' ? [0, 1] : [1, 0]);
      expect(text).to.satisfy((message: string) => agrees(message, error + warning), text);
    });
  }

  it('looks for the clock also in a select that lacks a column', async () => {
    const select = `select id, website_id, name from tags where current_timestamp > '2020-01-01'`;
    const { errors } = await checkMapping(database, withTags(select)(reference), engine);
    expect(errors.map((error) => /no column slug|current_timestamp/.exec(error)?.[0])).to.eql([
      'no column slug',
      'current_timestamp',
    ]);
  });
}

/** The parts around each `…`, in their order. */
function agrees(message: string, expected: string): boolean {
  let from = 0;
  return expected.split('…').every((part) => {
    const index = message.indexOf(part, from);
    from = index + part.length;
    return index >= 0;
  });
}
