import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BLOG_FIELD_NAMES, columnOf } from '../../src/domain/model/blog-fields.js';

const DASHBOARDS = 'docs/examples/dashboards';
const OWN_STORE = 'docs/examples/own-store';
const COLUMNS = BLOG_FIELD_NAMES.map(columnOf);

/** The names that this part of a page or program does not contain. */
function missingIn(file: string, part: RegExp, names: readonly string[]): readonly string[] {
  const [text = ''] = part.exec(readFileSync(file, 'utf8')) ?? [];
  return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
}

/** These places are written by hand: docs/adding-a-field.md lists them. */
describe('Every field of a blog', () => {
  it('is an optional column of a mapping in docs/dashboards.md', () => {
    expect(missingIn('docs/dashboards.md', /^\| `blogs` \| `id`.*$/m, COLUMNS)).to.eql([]);
  });

  for (const dashboard of readdirSync(DASHBOARDS)) {
    describe(`in the example ${dashboard}`, () => {
      const folder = `${DASHBOARDS}/${dashboard}`;

      it('is selected in its mapping.yaml, unless its README.md lists it as always 0 or null', () => {
        const constant = BLOG_FIELD_NAMES.filter((name) =>
          new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\| (0|null)\\b`, 'm').test(
            readFileSync(`${folder}/README.md`, 'utf8'),
          ),
        ).map(columnOf);
        const selected = COLUMNS.filter((column) => !constant.includes(column));
        expect(missingIn(`${folder}/mapping.yaml`, /^blogs:[\s\S]*?(?=^\S)/m, selected)).to.eql([]);
      });
    });
  }

  describe('in the example own-store', () => {
    it('has a column in db/schema.sql', () => {
      const table = /^create table if not exists blogs [\s\S]*?^\)/m;
      expect(missingIn(`${OWN_STORE}/db/schema.sql`, table, COLUMNS)).to.eql([]);
    });

    it('is written by read-tables.ts', () => {
      const file = `${OWN_STORE}/src/adapters/mariadb/read-tables.ts`;
      expect(missingIn(file, /^ {2}blogs: [\s\S]*?^ {2}\}/m, [...COLUMNS, ...BLOG_FIELD_NAMES])).to.eql([]);
    });

    it('is read by mariadb-blog-reader.ts', () => {
      const columns = /^const COLUMNS = [\s\S]*?;$/m;
      expect(
        missingIn(`${OWN_STORE}/src/adapters/mariadb/mariadb-blog-reader.ts`, columns, BLOG_FIELD_NAMES),
      ).to.eql([]);
    });
  });

  it('is left out of the answers in docs/guides/quick-start.md, which contain … instead', () => {
    const page = readFileSync('docs/guides/quick-start.md', 'utf8');
    expect(BLOG_FIELD_NAMES.filter((name) => page.includes(`"${name}":`))).to.eql([]);
  });
});
