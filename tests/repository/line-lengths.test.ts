import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const LONGEST = 140;
const GENERATED = new Set([join('docs', 'package-api.md')]);
/** Parts that cannot be wrapped: code blocks, generated parts, tables and the targets of links. */
const CODE_BLOCK = /^ *```[\s\S]*?^ *```/gm;
const GENERATED_PART = /^<!-- ([\w-]+) -->$[\s\S]*?^<!-- \/\1 -->$/gm;
const TABLE_ROW = /^ *\|.*$/gm;
const LINK_TARGET = /\]\([^)]*\)|https?:\S+/g;
const UNWRAPPABLE = [CODE_BLOCK, GENERATED_PART, TABLE_ROW];

describe('The lines of the documentation', () => {
  const pages = [
    ...readdirSync('.'),
    ...['docs', 'src', '.github'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    ),
  ].filter((file) => file.endsWith('.md') && !file.includes('node_modules') && !GENERATED.has(file));

  it(`have at most ${LONGEST} characters`, () => {
    expect(pages).to.have.length.above(40);
    expect(pages.flatMap(longLinesOf)).to.deep.equal([]);
  });
});

function longLinesOf(page: string): readonly string[] {
  const text = UNWRAPPABLE.reduce(
    (rest, part) => rest.replace(part, (lines) => lines.replace(/[^\n]+/g, '')),
    readFileSync(page, 'utf8'),
  );
  return text
    .split('\n')
    .map((line, index) => ({ at: `${page}:${index + 1}`, length: line.replace(LINK_TARGET, '').length }))
    .filter(({ length }) => length > LONGEST)
    .map(({ at, length }) => `${at} has ${length} characters`);
}
