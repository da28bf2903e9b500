import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes a tarball of the package in this folder, of what was built before. Answers its path. */
export async function pack(folder: string, destination: string): Promise<string> {
  const quietly = ['--ignore-scripts', '--json', '--loglevel=error'];
  const { stdout } = await run('npm', ['pack', ...quietly, '--pack-destination', destination], {
    cwd: folder,
  });
  const [packed]: readonly { filename: string }[] = JSON.parse(stdout);
  if (packed === undefined) throw new Error(`npm pack made nothing of ${folder}`);
  return join(destination, packed.filename);
}
