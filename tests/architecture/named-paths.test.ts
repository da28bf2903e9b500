import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const pages = [
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
  ...readdirSync('.'),
].filter(
  (file) => file.endsWith('.md') && !file.startsWith(join('docs', 'examples')) && file !== 'CHANGELOG.md',
);

const NAMED = /`((?:src|tests|db|deploy|docs)\/[^`\s]+)`/g;
/** From here on, a name stands for several files. */
const SEVERAL = /[^/]*[*{<…].*$/;

describe('The pages of the documentation', () => {
  it('name only files and folders that exist', () => {
    const named = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(NAMED)].map(([, path = '']) => ({ page, path })),
    );
    expect(named.length).to.be.greaterThan(100);
    const missing = named.filter(({ path }) => !exists(path.replace(SEVERAL, '')));
    expect(missing.map(({ page, path }) => `${page}: ${path}`)).to.deep.equal([]);
  });
});

/** A test may be named without the end of its file name. */
function exists(path: string): boolean {
  return ['', '.test.ts', '.ts'].some((end) => existsSync(path + end));
}
