import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';
import mocha from '../../.mocharc.json' with { type: 'json' };
import { descendants, parse, placeOf, sourceFiles } from '../architecture/sources.js';

const MIN_MS = 60_000;
/** Time is what these measure. */
const MEASURING = ['tests/tools/bench/', 'tests/tools/chaos/', 'tests/tools/soak/'];
/** Plants what other checks have to find. */
const VIOLATIONS = 'tests/architecture/violations/';

describe('The limits of time in tests', () => {
  const files = sourceFiles('.', 'tests').filter(
    (file) => ![...MEASURING, VIOLATIONS].some((folder) => file.startsWith(folder)),
  );

  it('are long enough for a busy machine: that of a test, and those of what a test opens', () => {
    expect(mocha.timeout).to.be.at.least(2 * MIN_MS);
    const limits = files.flatMap((file) => limitsIn(file));
    expect(limits.length).to.be.above(5);
    expect(limits.filter(({ milliseconds }) => milliseconds < MIN_MS)).to.deep.equal([]);
  });

  it('are set in one place for all tests, and not again for one of them', () => {
    expect(files.filter((file) => /\bthis\.timeout\((?!0\))/.test(readFileSync(file, 'utf8')))).to.deep.equal(
      [],
    );
    expect(files.flatMap((file) => limitedWaitsIn(file))).to.deep.equal([]);
  });
});

/** Of connections and commands: `commandTimeoutMs: 60_000` or `const TIMEOUT_MS = 60_000`. */
function limitsIn(file: string) {
  return [...descendants(parse('.', file))].flatMap((node) => {
    if (!ts.isPropertyAssignment(node) && !ts.isVariableDeclaration(node)) return [];
    const { name, initializer } = node;
    if (!/^(?:command|connect|acquire)TimeoutMs$|^TIMEOUT_MS$/.test(name.getText())) return [];
    if (initializer === undefined || !ts.isNumericLiteral(initializer)) return [];
    return [{ place: placeOf(node), milliseconds: Number(initializer.text) }];
  });
}

/** Calls of `eventually` with a limit of their own. */
function limitedWaitsIn(file: string): readonly string[] {
  return [...descendants(parse('.', file))].flatMap((node) =>
    ts.isCallExpression(node) && node.expression.getText() === 'eventually' && node.arguments.length > 1
      ? [placeOf(node)]
      : [],
  );
}
