import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { NODE_LINES } from '../qa/runs/fetch-node.js';

const OLDEST = '20.19';

describe('The supported lines of Node', () => {
  const [oldest, middle, newest] = NODE_LINES;

  it('are the same in README, CONTRIBUTING and the docs', async () => {
    const asChoice = `Node ${oldest}, ${middle} or ${newest} (${OLDEST} still works)`;
    for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/guides/quick-start.md']) {
      expect(await readFile(file, 'utf8'), file).to.contain(asChoice);
    }
    const all = `${oldest}, ${middle} and ${newest}`;
    expect(await readFile('CONTRIBUTING.md', 'utf8')).to.contain(`the same on Node ${all}`);
    expect(await readFile('docs/package.md', 'utf8')).to.contain(`**Node** ${all}. ${OLDEST} still works`);
  });

  it('are allowed by `engines`, as is the oldest line that works', () => {
    expect(packageJson.engines.node).to.equal(`>=${OLDEST}`);
    expect(NODE_LINES.every((line) => Number(line) > Number(OLDEST))).to.equal(true);
  });

  it('include that of the image', async () => {
    const built = (await readFile('Dockerfile', 'utf8')).match(/(?<=^FROM node:)\d+/gm);
    expect(NODE_LINES).to.include(built?.[0]);
  });

  it('are all tested by `test:nodes`, and the newest one with long-term support by CI', async () => {
    expect(packageJson.scripts['test:nodes']).to.match(/\/on-node\.ts all$/);
    expect(packageJson.scripts['test:newest-node']).to.match(/\/on-node\.ts lts$/);
    expect(await readFile('.ci/run', 'utf8')).to.match(
      /^run .* npm run test:newest-node -- --if-available$/m,
    );
  });
});
