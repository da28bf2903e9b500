import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const INTERFACE_IN_A_ROW = /^\| ((?:`\w+`(?:, )?)+) \|/gm;

describe('docs/ports.md', () => {
  it('has a row for each port, and for nothing else', () => {
    const rows = [...readFileSync('docs/ports.md', 'utf8').matchAll(INTERFACE_IN_A_ROW)];
    const described = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
    const ports = readdirSync('src/domain/ports').map((file) => interfaceOf(file));
    expect(described.toSorted()).to.deep.equal(ports.toSorted());
  });
});

/** blog-reader.ts has BlogReader. */
function interfaceOf(file: string): string {
  return file.replace('.ts', '').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
