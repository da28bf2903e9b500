import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { NODE_LINES } from '../support/runs/fetch-node.js';

const OLDEST = '20.19';

describe('The lines of Node that are supported', () => {
  const [oldest, middle, newest] = NODE_LINES;

  it('are named alike in README, CONTRIBUTING and the docs', async () => {
    const asChoice = `Node ${oldest}, ${middle} or ${newest} (${OLDEST} still works)`;
    for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/guides/quick-start.md']) {
      expect(await readFile(file, 'utf8'), file).to.contain(asChoice);
    }
    const all = `${oldest}, ${middle} and ${newest}`;
    expect(await readFile('CONTRIBUTING.md', 'utf8')).to.contain(`the same on Node ${all}`);
    expect(await readFile('docs/package.md', 'utf8')).to.contain(`**Node** ${all}. ${OLDEST} has no support`);
  });

  it('are allowed by `engines`, with the oldest one that works', () => {
    expect(packageJson.engines.node).to.equal(`>=${OLDEST}`);
    expect(NODE_LINES.every((line) => Number(line) > Number(OLDEST))).to.equal(true);
  });

  it('have the image’s among them', async () => {
    const built = (await readFile('Dockerfile', 'utf8')).match(/(?<=^FROM node:)\d+/gm);
    expect(NODE_LINES).to.include(built?.[0]);
  });

  it('are tested: all of them by `test:nodes`, the newest with long-term support by CI', async () => {
    expect(packageJson.scripts['test:nodes']).to.match(/\/on-node\.ts all$/);
    expect(packageJson.scripts['test:newest-node']).to.match(/\/on-node\.ts lts$/);
    expect(await readFile('.ci/run', 'utf8')).to.match(/^npm run test:newest-node -- --if-available$/m);
  });
});
