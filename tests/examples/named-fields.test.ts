import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BLOG_FIELD_NAMES, columnOf } from '../../src/domain/model/blog-fields.js';

const DASHBOARDS = 'docs/examples/dashboards';

/** Files that are written by hand, of which one in each group has to name every field. */
const GROUPS: readonly (readonly string[])[] = [
  ['docs/dashboards.md'],
  ...readdirSync(DASHBOARDS).map((name) =>
    ['mapping.yaml', 'README.md'].map((file) => `${DASHBOARDS}/${name}/${file}`),
  ),
];

describe('Every field of a blog', () => {
  for (const files of GROUPS) {
    it(`is named in ${files.join(' or ')}`, () => {
      const words = new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []));
      const lacking = BLOG_FIELD_NAMES.filter((name) => !words.has(name) && !words.has(columnOf(name)));
      expect(lacking).to.deep.equal([]);
    });
  }
});
