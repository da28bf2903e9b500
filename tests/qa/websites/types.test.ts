import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { RunningProcess } from '../../support/programs/running-process.js';
import { commandBlocks } from '../guides/command-blocks.js';

const PAGE = 'docs/guides/websites.md';

describe(`The types that ${PAGE} generates`, () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-types-'));
    await symlink(resolve('docs/openapi.json'), join(folder, 'openapi.json'));
  });

  after(() => rm(folder, { recursive: true }));

  it('have each path of the API, and the message of webhooks', async () => {
    const blocks = commandBlocks(await readFile(PAGE, 'utf8'));
    const command = blocks.map(({ commands }) => commands).find((text) => text.startsWith('npx'));
    const environment = { ...process.env, npm_config_yes: 'true' };
    const generating = new RunningProcess('sh', ['-c', command ?? 'false'], environment, folder);
    expect(await generating.exitCode(), generating.output).to.equal(0);
    const types = await readFile(join(folder, 'content-api.d.ts'), 'utf8');
    const document = JSON.parse(await readFile('docs/openapi.json', 'utf8'));
    for (const name of [...Object.keys(document.paths), ...Object.keys(document.webhooks)])
      expect(types).to.contain(`"${name}": {`);
    expect(types).to.match(
      /ContentPublished: \{[\s\S]*?slug: string;[\s\S]*?websiteId: string;\s*\}\[\] \| null;\s/,
    );
  });
});
