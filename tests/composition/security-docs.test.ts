import { access, readFile } from 'node:fs/promises';
import { expect } from 'chai';

const TEST_FILE = /`(tests\/[\w./-]+\.ts)`/g;

describe('The documentation of security', () => {
  let page: string;

  before(async () => {
    page = await readFile('docs/security.md', 'utf8');
  });

  it('lists each of the ten risks once, with a test that shows the countermeasure', () => {
    const rows = [...page.matchAll(/^\| \*\*(API\d+)\*\* .*$/gm)];
    expect(rows.map(([, risk]) => risk)).to.eql(Array.from({ length: 10 }, (_, n) => `API${n + 1}`));
    for (const [row] of rows) expect(row.match(TEST_FILE), row).not.to.equal(null);
  });

  it('names existing tests', async () => {
    const named = [...page.matchAll(TEST_FILE)].map(([, file = '']) => file);
    const missing = await Promise.all(
      named.map((file) =>
        access(file).then(
          () => [],
          () => [file],
        ),
      ),
    );
    expect(missing.flat()).to.eql([]);
  });
});
