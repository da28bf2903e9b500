import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists } from '../../../support/exists.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { installedPackages } from '../installed-packages.js';

const APP = fileURLToPath(new URL('app', import.meta.url));
const VERSION = '6.65.0';
/** The hash in npm's registry. */
const INTEGRITY =
  'sha512-D369qivOmfn4YwvBD1DljOGsHnJzBEQhBsiFnBZD+GjWrBpdZQYYNHneiQcKQVJwUom8eHWml1n5FRLQIwVFOg==';

export interface InstalledGhost {
  /** Ghost refuses the oldest Node that this project supports. */
  readonly node: string;
  readonly folder: string;
}

/**
 * Ghost from npm, unless an earlier run has installed it. Its package refers to packages inside of it, which npm
 * cannot install as a dependency. Therefore it is unpacked, and the package manager of its lock file installs its
 * dependencies.
 */
export async function installedGhost(): Promise<InstalledGhost> {
  const tools = await installedPackages(APP);
  const node = join(tools, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const folder = join(dirname(tools), `ghost-${VERSION}`);
  if (!(await exists(node))) {
    throw new Error(
      `Ghost ${VERSION} needs a Node that npm does not have for ${process.platform}-${process.arch}: run these tests on Linux`,
    );
  }
  if (!(await exists(folder))) await installInto(folder, tools, node);
  return { node, folder };
}

/** The folder receives its name at the end, so a folder with that name is complete. */
async function installInto(folder: string, tools: string, node: string): Promise<void> {
  const unfinished = await mkdtemp(join(dirname(folder), 'unfinished-'));
  try {
    const unpacked = await unpackIn(unfinished);
    const pnpm = [
      join(tools, 'pnpm', 'bin', 'pnpm.mjs'),
      'install',
      '--store-dir',
      join(unfinished, 'store'),
    ];
    await run(node, [...pnpm, '--prod', '--frozen-lockfile', '--ignore-scripts'], unpacked, dirname(node));
    await rename(unpacked, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function unpackIn(folder: string): Promise<string> {
  await run('npm', ['pack', '--loglevel=error', `ghost@${VERSION}`], folder);
  const file = join(folder, `ghost-${VERSION}.tgz`);
  const hash = createHash('sha512').update(await readFile(file));
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== INTEGRITY) {
    throw new Error(`npm gives another ghost@${VERSION} than expected: ${found} instead of ${INTEGRITY}`);
  }
  await run('tar', ['--no-same-owner', '-xzf', file], folder);
  return join(folder, 'package');
}

/** Puts these folders first in the PATH. */
async function run(program: string, args: readonly string[], cwd: string, ...folders: readonly string[]) {
  const environment = { ...process.env, PATH: [...folders, process.env.PATH].join(delimiter) };
  const running = new RunningProcess(program, args, environment, cwd);
  if ((await running.exitCode()) === 0) return;
  throw new Error(`Ghost cannot be installed: ${program} ${args.join(' ')}\n${running.output}`);
}
