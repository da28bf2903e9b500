import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skipWithout } from '../../support/run-notes.js';

const PACKAGE = '@redocly/openapi-core';
const VERSION = '2.64.0';

interface Redocly {
  createConfig(rules: { readonly extends: readonly string[] }): Promise<object>;
  lintFromString(document: object): Promise<readonly { readonly ruleId: string; readonly message: string }[]>;
}

describe('docs/openapi.json', () => {
  let folder: string;
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-redocly-'));
    const quietly = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    await promisify(execFile)('npm', ['install', ...quietly, `${PACKAGE}@${VERSION}`]).catch(() =>
      skipWithout(this, `${PACKAGE} from npm`),
    );
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('satisfies the recommended rules of Redocly', async () => {
    const main = join(folder, 'node_modules', PACKAGE, 'lib', 'index.js');
    const { createConfig, lintFromString }: Redocly = await import(pathToFileURL(main).href);
    const source = await readFile('docs/openapi.json', 'utf8');
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).to.deep.equal([]);
  });
});
