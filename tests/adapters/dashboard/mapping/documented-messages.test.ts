import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const FOLDER = 'src/adapters/dashboard';
const ROW = /^\| (`.+?) \| .+ \|$/gm;
/** What a message in the table has in place of values. */
const VALUES =
  /^[a-z_.]+: |…|\b(?:timestamp without time zone|organizations|blogs|tags|title|tag_id|name|id|x|y|text|bigint|\d+)\b/g;

describe('The messages in docs/dashboards.md', () => {
  const source = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join('\n')
    .replace(/['`] \+\n\s*['`]/g, '');
  const [table = ''] =
    /\| message \| what to do \|[\s\S]*?\n\n/.exec(readFileSync('docs/dashboards.md', 'utf8')) ?? [];
  const messages = [...table.matchAll(ROW)].flatMap(([, quoted = '']) =>
    [...quoted.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  );

  it('are many', () => {
    expect(messages).to.have.length.above(12);
  });

  for (const message of messages) {
    it(`are those of the code: ${message}`, () => {
      const parts = message.split(VALUES).filter((part) => /\w/.test(part));
      expect(parts.join('')).to.have.length.above(8);
      expect(parts.filter((part) => !source.includes(part))).to.deep.equal([]);
    });
  }
});
