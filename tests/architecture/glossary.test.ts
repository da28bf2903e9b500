import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const ROW = /^\| (?<term>[^|]+?) \| (?<meaning>[^|]+?) \| `(?<name>\w+)` \|$/;

describe('The glossary', () => {
  const lines = readFileSync('docs/glossary.md', 'utf8').split('\n');
  const entries = lines.filter((line) => line.startsWith('| ')).slice(1);
  const names = new Set(['src', 'db'].flatMap(wordsIn));

  it('has a term, a meaning and a name on each line', () => {
    expect(entries.filter((line) => !ROW.test(line))).to.deep.equal([]);
    expect(entries).to.have.length.above(20);
  });

  it('contains only names that exist in the code', () => {
    const missing = entries
      .map((line) => ROW.exec(line)?.groups?.name ?? line)
      .filter((name) => !names.has(name));
    expect(missing).to.deep.equal([]);
  });

  it('is sorted, and contains each term once', () => {
    const terms = entries.map((line) => ROW.exec(line)?.groups?.term ?? '');
    expect(terms).to.deep.equal([...new Set(terms)].sort());
  });
});

function wordsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').match(/\w+/g) ?? []);
}
