import { expect } from 'chai';
import { commandBlocks, showsOutput } from './command-blocks.js';

const PAGE = `# Page

\`\`\`sh
first
\`\`\`

Some words.

\`\`\`text
its output
\`\`\`

\`\`\`bash
second
\`\`\`

\`\`\`sh
third
\`\`\`

\`\`\`yaml
a: file
\`\`\`
`;

describe('A block of commands', () => {
  it('has its output in the next block, unless that contains commands or a language that people write', () => {
    expect(commandBlocks(PAGE)).to.deep.equal([
      { line: 3, commands: 'first', output: 'its output\n' },
      { line: 13, commands: 'second', output: null },
      { line: 17, commands: 'third', output: null },
    ]);
  });

  it('shows its output in any white space, and may replace parts with …', () => {
    const printed = '{"data":[{"id":"a.b","title":"x"}]}';
    expect(showsOutput('{ "data": [{ "id": "a.b", "title": "x" }] }\n', printed)).to.equal(true);
    expect(showsOutput('{ "data": [{ "id": "a.b", … }] }', printed)).to.equal(true);
  });

  it('otherwise shows its output exactly and completely', () => {
    expect(showsOutput('X-Cache: HIT', 'X-Cache: MISS')).to.equal(false);
    expect(showsOutput('200', '200\n200')).to.equal(false);
    expect(showsOutput('a.b', 'axb')).to.equal(false);
    expect(showsOutput('… old: 401 …', 'old: 200\nnew: 401')).to.equal(false);
  });
});
