import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** A line with long-term support takes half a year to become one: the newest may not be, the one before it is. */
const LINES = ['latest', '24'] as const;

export interface FetchedNode {
  readonly program: string;
  readonly version: string;
  remove(): Promise<void>;
}

/** Node's newest line with long-term support, from npm's `node` package, in a folder of its own. Null where it cannot be had. */
export async function fetchNewestLts(): Promise<FetchedNode | null> {
  const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-node-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  for (const line of LINES) {
    try {
      const options = ['--no-save', '--no-audit', '--no-fund', '--prefix', folder];
      await run('npm', ['install', ...options, `node@${line}`], { cwd: folder });
      const program = join(folder, 'node_modules', 'node', 'bin', 'node');
      const { stdout } = await run(program, [
        '-p',
        'JSON.stringify([process.release.lts ?? null, process.version])',
      ]);
      const [name, version]: [string | null, string] = JSON.parse(stdout);
      if (name !== null) return { program, version, remove };
    } catch (error) {
      process.stdout.write(`There is no node@${line} from npm: ${String(error).split('\n')[0]}\n`);
    }
  }
  await remove();
  return null;
}
