import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ALL_SETTINGS } from '../../support/programs/all-settings.js';

function tableOfTheCode(): string {
  const rows = ALL_SETTINGS.map(
    ({ variable, shownDefault, meaning, secret }) =>
      `| \`${variable}\` | ${shownDefault} | ${meaning}${secret ? ' (*secret*)' : ''} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows.sort()].join('\n');
}

describe('The documentation of the configuration', () => {
  it('has the table that the code generates', async () => {
    const page = await readFile('docs/configuration.md', 'utf8');
    const table = /<!-- settings -->\n([\s\S]*)\n<!-- \/settings -->/.exec(page)?.[1];
    expect(table).to.equal(tableOfTheCode());
  });

  it('has an example for every variable', async () => {
    const example = await readFile('.env.example', 'utf8');
    const assigned = [...example.matchAll(/^(\w+)=/gm)].map(([, variable]) => variable);
    expect(assigned).to.have.members(ALL_SETTINGS.map(({ variable }) => variable));
  });
});
