import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const INTERFACE_IN_A_ROW = /^\| ((?:`\w+`(?:, )?)+) \|/gm;

describe('docs/extending.md', () => {
  it('has exactly one row for each port', () => {
    const rows = [...readFileSync('docs/extending.md', 'utf8').matchAll(INTERFACE_IN_A_ROW)];
    const described = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
    const ports = readdirSync('src/domain/ports').map((file) => interfaceOf(file));
    expect(described.toSorted()).to.deep.equal(ports.toSorted());
  });
});

/** The interface in blog-reader.ts is BlogReader. */
function interfaceOf(file: string): string {
  return file.replace('.ts', '').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
