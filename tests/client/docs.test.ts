import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';

describe('The examples of docs/client.md', () => {
  let api: ApiUnderTest;
  before(async () => {
    api = await ApiUnderTest.start('memory');
    const categories = [{ id: 'c1', name: 'Metalwork', slug: 'metalwork' }];
    const tags = [{ id: 't1', name: 'Failure', slug: 'failure' }];
    await api.put('blogs', aBlog({ id: 'b1', title: 'A tap', categories, tags }));
  });
  after(() => api.stop());

  it('run unchanged', async () => {
    const page = await readFile('docs/client.md', 'utf8');
    const examples = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
    const env = { PATH: process.env.PATH, API_URL: api.address, API_KEY: (await clientOf(api)).key };
    const run = (code: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env });
    const printed = (await Promise.all(examples.map(run))).map(({ stdout }) => stdout);
    expect(printed).to.deep.equal(['1 of 1\nA tap: 20 characters\n', '2026-01-01 A tap\n', '[]\n']);
  });
});
