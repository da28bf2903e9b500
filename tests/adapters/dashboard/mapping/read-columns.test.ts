import { expect } from 'chai';
import type {
  CapturedTable,
  SourceName,
} from '../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { readColumns } from '../../../../src/adapters/dashboard/mapping/read-columns.js';

const COLUMNS = ['id', 'Title', 'title_de', 'state', 'seen at', 'last_used_at'];
const POSTS: CapturedTable = { table: 'public.posts', touches: { blogs: 'id' } };

/** The columns of `posts` that the select of blogs reads; null: it cannot be told. */
const SELECTS: Readonly<Record<string, readonly [sql: string, read: readonly string[] | null]>> = {
  'the columns that it names': ['select id, title from posts', ['id', 'Title']],
  'columns in conditions': [`select id from posts where state = 'x'`, ['id', 'state']],
  'columns in expressions': [
    `select id, coalesce(nullif(trim(title_de), ''), title) as title from public.posts`,
    ['id', 'Title', 'title_de'],
  ],
  'columns with a prefix': ['select p.id from posts as p join users u on u.id = p.state', ['id', 'state']],
  'columns in quotes': ['select "id", `seen at` from posts', ['id', 'seen at']],
  'columns of which two are multiplied': [
    'select id, 2 * state as x, (1) * (state) from posts',
    ['id', 'state'],
  ],
  'columns of joined and nested tables': [
    `with shown as (select id from posts p where exists (select 1 from users where users.id = p.state))
     select s.id, (select count(*) from users) as n from shown s, lateral (select title from posts) as t`,
    ['id', 'Title', 'state'],
  ],
  'a comparison of columns': [
    'select id from posts where title is distinct from state',
    ['id', 'Title', 'state'],
  ],
  'all columns': ['select * from posts', null],
  'all columns of a table': ['select p.* from posts p', null],
  'all columns, after distinct': ['select distinct on (id) * from posts', null],
  'a whole row': [`select id, p::text as title from posts p`, null],
  'a whole row by the name of its table': ['select id, max(posts) from posts', null],
  'a function in the form of a column': ['select p.id, p.full_name as title from posts p', null],
  'a function of the team': ['select id, shown_title(id) as title from posts', null],
  'a function of the team with a name that the server uses': [
    `select id, translate(id, 'de') as title from posts`,
    null,
  ],
  'a function in a schema': ['select id, public.lower(title) as title from posts', null],
  'a view': ['select p.id from posts p join shown_posts s on s.id = p.id', null],
  'a view after a comma': ['select p.id from posts p, shown_posts s where s.id = p.id', null],
  'a view in parentheses': ['select p.id from ((posts p join shown_posts s on s.id = p.id))', null],
  'a function as a table': ['select p.id from posts p, shown_posts() as s', null],
  'a view whose name has other letters': ['select id from "Posts"', null],
  'a view in another schema with the name of a with': [
    'with shown as (select id from posts) select s.id from public.shown s join shown on true',
    null,
  ],
  'a view that a with of its name reads': ['with shown as (select id from shown) select id from shown', null],
  'a view outside the statement with such a with': [
    'select id, (with shown as (select id from posts) select max(id) from shown) from shown',
    null,
  ],
  'new names of columns': ['select a as id, b as title from posts as p (a, b)', null],
  'a function in the form of a column of a name with two meanings': [
    'select p.id, p.full_name from posts p where exists (select 1 from users p where p.id = 1)',
    null,
  ],
  'the table of a row': ['select id, tableoid::regclass::text as title from posts', null],
  'the transaction of a row': ['select id, xmin::text as title from posts', null],
  'a natural join': ['select id from posts natural join users', null],
  'all columns of a nested select': [
    `select p.*, 'x' as color from (select id, state from posts) as p`,
    ['id', 'state'],
  ],
  'texts with signs': [
    String.raw`select id, regexp_replace(title, '\S -- it''s #(a), b', ' /* ') as title -- "it's"
     from posts`,
    ['id', 'Title'],
  ],
  'a text that may go on after a quote': [String.raw`select id, 'it\'s' as title from posts`, null],
  'a comment of one of the servers': ['select id # , "\n from posts', null],
  'a text in dollars': ['select id from posts where state = $$a$$', null],
  'a comment that the server executes': ['select id /*! , title */ from posts', null],
};

describe('The columns that a mapping reads are', () => {
  const readBy = (selects: Partial<Record<SourceName, string>>, table = POSTS) =>
    readColumns(
      {
        selects: selects as Record<SourceName, string | null>,
        captures: [POSTS, { table: 'users', touches: {} }],
      },
      table,
      COLUMNS,
    );

  for (const [what, [sql, read]] of Object.entries(SELECTS)) {
    it(`${read === null ? 'unknown, by' : ''} ${what}`, () => {
      expect(readBy({ blogs: sql })).to.eql(read);
    });
  }

  it('also those of keys', () => {
    const withKey = (key: string) => {
      const posts: CapturedTable = { ...POSTS, touches: { blogs: key } };
      return readColumns({ selects: {} as never, captures: [posts] }, posts, COLUMNS);
    };
    expect(withKey('concat(id, state)')).to.eql(['id', 'state']);
    expect(withKey('select id from posts where posts.title = changed.state')).to.eql([
      'id',
      'Title',
      'state',
    ]);
    expect(withKey('select id from posts where posts.title = changed.label')).to.equal(null);
    expect(withKey('select id from posts where state = changed::text')).to.equal(null);
  });

  it('known of a table of API keys, whatever reads the other content', () => {
    const keys: CapturedTable = { table: 'api_keys', touches: { api_keys: 'id' } };
    const selects = { blogs: 'select * from posts', api_keys: 'select id, state from api_keys' };
    const read = readColumns({ selects: selects as never, captures: [POSTS, keys] }, keys, [
      'id',
      'state',
      'last_used_at',
    ]);
    expect(read).to.eql(['id', 'state']);
  });
});
