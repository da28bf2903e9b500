import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The Node lines tested besides the oldest supported one, oldest first. README, CONTRIBUTING and docs/extending.md name
 * them.
 */
export const NODE_LINES = ['22', '24', '26'] as const;

export interface FetchedNode {
  readonly program: string;
  readonly version: string;
  readonly hasLongTermSupport: boolean;
  remove(): Promise<void>;
}

/** The newest Node of a line, from npm's `node` package, in its own folder. */
export async function fetchNode(line: string): Promise<FetchedNode> {
  const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-node-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const options = ['--no-save', '--no-audit', '--no-fund', '--prefix', folder];
    await run('npm', ['install', ...options, `node@${line}`], { cwd: folder });
    const program = join(folder, 'node_modules', 'node', 'bin', 'node');
    const { stdout } = await run(program, [
      '-p',
      'JSON.stringify([process.release.lts ?? null, process.version])',
    ]);
    const [name, version]: [string | null, string] = JSON.parse(stdout);
    return { program, version, hasLongTermSupport: name !== null, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * The newest line with long-term support, which a line gets half a year after its first release. Null if it cannot be
 * fetched.
 */
export async function fetchNewestLts(): Promise<FetchedNode | null> {
  for (const line of NODE_LINES.toReversed()) {
    try {
      const node = await fetchNode(line);
      if (node.hasLongTermSupport) return node;
      await node.remove();
    } catch (error) {
      process.stdout.write(`npm has no node@${line}: ${String(error).split('\n')[0]}\n`);
    }
  }
  return null;
}
