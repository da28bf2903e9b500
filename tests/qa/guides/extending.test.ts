import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { RunningProcess } from '../../support/programs/running-process.js';
import { commandBlocks } from './command-blocks.js';
import { Terminal } from './terminal.js';

const PAGE = 'docs/extending.md';
const FILE = /^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm;

describe(`A reader that follows ${PAGE} in an empty folder, with only the package,`, () => {
  let folder: string;
  let terminal: Terminal | null = null;

  before(async () => {
    // A folder outside of this project.
    folder = await realpath(await mkdtemp(join(tmpdir(), 'blog-read-api-extending-')));
    // The package was built before the tests.
    const pack = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
    const packing = new RunningProcess('npm', pack, process.env, '.');
    expect(await packing.exitCode(), packing.output).to.equal(0);
  });

  after(async () => {
    await terminal?.close();
    await rm(folder, { recursive: true });
  });

  it('gets the output that it shows', async () => {
    const page = await readFile(PAGE, 'utf8');
    const [tarball = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
    const [port, adminPort] = [await freePort(), await freePort()];
    const own = join(folder, 'own');
    await mkdir(own);
    await writeFiles(page, own);
    const { PATH, npm_config_cache: cache, npm_config_registry: registry } = process.env;
    terminal = new Terminal(own, {
      PATH,
      HOME: process.env.HOME,
      ...(cache === undefined ? {} : { npm_config_cache: cache }),
      ...(registry === undefined ? {} : { npm_config_registry: registry }),
      npm_config_prefer_offline: 'true',
      npm_config_loglevel: 'error',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      LOG_PRETTY: 'false',
    });
    const replacements: Record<string, string> = {
      'path/to/blog-content-read-api-1.0.0.tgz': join(folder, tarball),
      'http://127.0.0.1:3000': `http://127.0.0.1:${port}`,
      'http://127.0.0.1:3001': `http://127.0.0.1:${adminPort}`,
      'postgres://…': await createReadTables(),
    };
    for (const block of commandBlocks(page)) {
      if (block.commands.includes('brk_…')) replacements['brk_…'] = await demoKey(own);
      await terminal.follow(PAGE, block, replacements);
    }
  });
});

async function writeFiles(page: string, folder: string): Promise<void> {
  for (const [, name = '', text = ''] of page.matchAll(FILE)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function demoKey(folder: string): Promise<string> {
  const keys = JSON.parse(await readFile(join(folder, '.data/demo-keys.json'), 'utf8'));
  return keys.org_halfbright;
}
