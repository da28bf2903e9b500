import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { packClient } from '../../package/packed-client.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { clientOf } from '../../support/http/client-under-test.js';
import { RunningProcess } from '../../support/programs/running-process.js';

const NAME = 'blog-content-read-api-client';

describe('The tarball of the client', () => {
  let folder: string;
  let api: ApiUnderTest;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-consumer-'));
    api = await ApiUnderTest.start('memory');
    const install = ['install', '--offline', '--no-audit', '--no-fund', await packClient(folder)];
    expect(await run('npm', ...install)).to.match(/^added 1 package/m);
  });
  after(async () => {
    await api.stop();
    await rm(folder, { recursive: true });
  });

  /** The output of a command that has to succeed. */
  async function run(command: string, ...args: readonly string[]): Promise<string> {
    const running = new RunningProcess(command, args, { ...process.env, NO_COLOR: '1' }, folder);
    expect(await running.exitCode(), running.output).to.equal(0);
    return running.output;
  }

  it('is installed into an empty folder without any other package', async () => {
    const installed = await readdir(join(folder, 'node_modules'));
    expect(installed.filter((entry) => !entry.startsWith('.'))).to.deep.equal([NAME]);
  });

  it('sends requests to the API', async () => {
    const { key } = await clientOf(api);
    const program = `
      import { BlogApiError, BlogClient } from '${NAME}';
      const client = new BlogClient({ url: '${api.address}', apiKey: '${key}' });
      const refusal = await client.listBlogs({ limit: 0 }).catch((error) => error);
      console.log(await client.listTags(), refusal instanceof BlogApiError);`;
    expect(await run(process.execPath, '--input-type=module', '--eval', program)).to.equal('[] true\n');
  });

  it('has types that compile in a page without types of another package', async () => {
    const program = `import { BlogClient } from '${NAME}';\nnew BlogClient({ url: '', apiKey: '' }).listTags();\n`;
    await writeFile(join(folder, 'page.ts'), program);
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--lib', 'es2023,dom'];
    await run(process.execPath, tsc, '--module', 'nodenext', ...options, 'page.ts');
  });

  it('has the version of the project', async () => {
    const versionIn = async (folder: string) =>
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version;
    expect(await versionIn(join(folder, 'node_modules', NAME))).to.equal(await versionIn('.'));
  });
});
