import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type MappingError, readMapping } from '../../../../src/adapters/dashboard/mapping/read-mapping.js';

const WHOLE = `
websites: select id, organization_id from sites
blogs: select * from posts
api_keys: select * from keys
captures:
  sites: { websites: id }
  posts: { blogs: id }
  keys: everything
`;

/** A mapping, and the problems that are reported in it. */
const PROBLEMS: Readonly<Record<string, readonly [text: string, problems: readonly (string | RegExp)[]]>> = {
  'is not YAML': ['blogs: [', [/^the file is not valid YAML: .* at line 1, column \d+$/]],
  'has a field twice': [
    `${WHOLE}\nblogs: select 1`,
    [/^the file is not valid YAML: Map keys must be unique at line \d+/],
  ],
  'has an alias without an anchor': [
    WHOLE.replace('select * from posts', '*posts'),
    ['the file is not valid YAML: Unresolved alias (the anchor must be set before the alias): posts'],
  ],
  'would expand to far more than was written': [
    [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
      'c: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
    ].join('\n'),
    ['the file is not valid YAML: Excessive alias count indicates a resource exhaustion attack'],
  ],
  'has an empty select': [
    WHOLE.replace('select * from posts', '" "'),
    ['blogs: expected a select, such as "select id, … from …"'],
  ],
  'leaves other rows than the keys to this project': [
    WHOLE.replace('select * from posts', 'managed'),
    ['blogs: expected a select, such as "select id, … from …"'],
  ],
  'has a misspelled word for the keys': [
    WHOLE.replace('select * from keys', 'manged'),
    ['api_keys: expected a select, such as "select id, … from …", or the word managed'],
  ],
  'is empty': ['', ['the file has no fields; expected those that docs/dashboards.md lists']],
  'has none of the fields': [
    'time_zone: UTC',
    ['websites', 'blogs', 'api_keys', 'captures'].map((field) => `${field}: the field is missing`),
  ],
  'has an unknown field': [
    `${WHOLE}\npages: select 1`,
    [
      'pages: there is no such field; the fields are time_zone, organizations, websites, blogs, categories, tags, blog_categories, blog_tags, api_keys, captures',
    ],
  ],
  'has a list instead of a select': [
    WHOLE.replace('select * from posts', '[posts]'),
    ['blogs: expected a select, such as "select id, … from …"'],
  ],
  'has a number as its zone': [
    `${WHOLE}\ntime_zone: 2`,
    ['time_zone: expected the name of a time zone, such as Europe/Paris'],
  ],
  'captures a kind that does not exist': [
    WHOLE.replace('blogs: id', 'pages: id'),
    [
      'captures.posts: there is no kind pages; the kinds are organizations, websites, blogs, categories, tags, api_keys',
    ],
  ],
  'captures a table by a word': [
    WHOLE.replace('keys: everything', 'keys: all'),
    [
      'captures.keys: expected kinds with their keys, such as { blogs: id }, the word everything, or {} for a table that never changes',
    ],
  ],
  'captures by a list of keys': [
    WHOLE.replace('blogs: id', 'blogs: [id]'),
    [
      'captures.posts.blogs: expected an SQL expression over the changed row, such as id, or a select over changed',
    ],
  ],
};

describe('A mapping of a dashboard', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mapping-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function read(text: string) {
    const file = join(folder, 'mapping.yaml');
    await writeFile(file, text);
    return readMapping(file);
  }

  for (const begin of ['SELECT ', '-- Posts.\n  select ', '/* of\n all */ (select ', 'with p as (select ']) {
    it(`may have a select that begins with ${JSON.stringify(begin)}`, async () => {
      const mapping = await read(WHOLE.replace('select * from posts', JSON.stringify(`${begin}1`)));
      expect(mapping.selects.blogs).to.equal(`${begin}1`);
    });
  }

  for (const [written, select] of [
    ['select 1;', 'select 1'],
    ['select 1; -- all', 'select 1'],
    ['select 1 ;\n-- one\n/* two;\n */ -- three\n', 'select 1 '],
    ['select 1 -- all', 'select 1 -- all'],
    [`select '; -- no end'`, `select '; -- no end'`],
    [`select 'it''s;' ; --`, `select 'it''s;' `],
  ] as const) {
    it(`drops the end of a statement: ${JSON.stringify(written)}`, async () => {
      const mapping = await read(WHOLE.replace('select * from posts', JSON.stringify(written)));
      expect(mapping.selects.blogs).to.equal(select);
    });
  }

  it('is read with all its fields', async () => {
    const mapping = await read(`time_zone: Europe/Paris${WHOLE}tags: select 1;\n`);
    expect(mapping.timeZone).to.equal('Europe/Paris');
    expect(mapping.selects.blogs).to.equal('select * from posts');
    expect(mapping.selects.tags).to.equal('select 1');
    expect(mapping.selects.categories).to.equal(null);
    expect(mapping.hasManagedKeys).to.equal(false);
    expect(mapping.captures).to.eql([
      { table: 'sites', touches: { websites: 'id' } },
      { table: 'posts', touches: { blogs: 'id' } },
      { table: 'keys', touches: 'everything' },
    ]);
  });

  it('may leave the keys to this project', async () => {
    const mapping = await read(WHOLE.replace('select * from keys', 'managed'));
    expect(mapping.hasManagedKeys).to.equal(true);
    expect(mapping.selects.api_keys).to.equal(null);
  });

  for (const [what, [text, problems]] of Object.entries(PROBLEMS)) {
    it(`is refused with an explanation if it ${what}`, async () => {
      const failure: MappingError = await read(text).then(
        () => expect.fail('it was read'),
        (error) => error,
      );
      expect(failure.problems).to.have.lengthOf(problems.length);
      for (const [at, problem] of problems.entries()) {
        if (typeof problem === 'string') expect(failure.problems[at]).to.equal(problem);
        else expect(failure.problems[at]).to.match(problem);
      }
    });
  }

  it('is refused with an explanation if its file does not exist', () => {
    expect(() => readMapping(join(folder, 'nothing.yaml')))
      .to.throw()
      .with.property('message')
      .that.matches(/the file cannot be read \(ENOENT\); correct the path in DASHBOARD_MAPPING$/);
  });
});
