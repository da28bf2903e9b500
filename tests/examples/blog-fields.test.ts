import { readdirSync, readFileSync } from 'node:fs';
import { BLOG_FIELD_NAMES, columnOf } from '../../src/domain/model/blog-fields.js';
import { expectNone, expectWords, partOf } from './expect-texts.js';

const DASHBOARDS = 'docs/examples/dashboards';
const OWN_STORE = 'docs/examples/own-store';
const COLUMNS = BLOG_FIELD_NAMES.map(columnOf);

/** These places are written by hand: docs/adding-a-field.md lists them. */
describe('Every field of a blog', () => {
  it('is an optional column of a mapping in docs/dashboards.md', () => {
    const page = 'docs/dashboards.md';
    expectWords(page, partOf(page, /^\| `blogs` \| `id`.*$/m), COLUMNS);
  });

  for (const dashboard of readdirSync(DASHBOARDS)) {
    const mapping = `${DASHBOARDS}/${dashboard}/mapping.yaml`;
    const readme = `${DASHBOARDS}/${dashboard}/README.md`;

    it(`is selected in ${mapping}, unless ${readme} lists it as always 0 or null`, () => {
      const described = readFileSync(readme, 'utf8');
      const selected = BLOG_FIELD_NAMES.filter(
        (name) => !new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\| (0|null)\\b`, 'm').test(described),
      );
      expectWords(mapping, partOf(mapping, /^blogs:[\s\S]*?(?=^\S)/m), selected.map(columnOf));
    });
  }

  const schema = `${OWN_STORE}/db/schema.sql`;
  it(`is a column of the table blogs in ${schema}`, () => {
    expectWords(schema, partOf(schema, /^create table if not exists blogs [\s\S]*?^\)/m), COLUMNS);
  });

  const tables = `${OWN_STORE}/src/adapters/mariadb/read-tables.ts`;
  it(`is written by ${tables}`, () => {
    const written = partOf(tables, /^ {2}blogs: [\s\S]*?^ {2}\}/m);
    const lacking = BLOG_FIELD_NAMES.filter(
      (name) => !written.includes(`${columnOf(name)}: (blog) => blog.${name},`),
    );
    expectNone(`${tables} lacks`, lacking.map(columnOf));
  });

  const reader = `${OWN_STORE}/src/adapters/mariadb/mariadb-blog-reader.ts`;
  it(`is read by ${reader}`, () => {
    expectWords(reader, partOf(reader, /^const COLUMNS = [\s\S]*?;$/m), BLOG_FIELD_NAMES);
  });

  it('is left out of the answers in docs/guides/quick-start.md, which contain … instead', () => {
    const page = 'docs/guides/quick-start.md';
    const answers = readFileSync(page, 'utf8');
    expectNone(
      `${page} shows`,
      BLOG_FIELD_NAMES.filter((name) => answers.includes(`"${name}":`)),
    );
  });
});
