import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';

const run = promisify(execFile);

describe('The package', () => {
  let folder: string;
  let api: ApiUnderTest;
  before(async () => {
    api = await ApiUnderTest.start('memory');
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-consumer-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(process.cwd(), join(folder, 'node_modules/blog-content-read-api'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await api.stop();
  });

  it('exports the client to a project that depends on it', async () => {
    const { key } = await clientOf(api);
    const program = `
      import { BlogApiError, BlogClient } from 'blog-content-read-api/client';
      const client = new BlogClient({ url: '${api.address}', apiKey: '${key}' });
      const refusal = await client.listBlogs({ limit: 0 }).catch((error) => error);
      console.log(await client.listTags(), refusal instanceof BlogApiError);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: folder,
    });
    expect(stdout).to.equal('[] true\n');
  });
});
