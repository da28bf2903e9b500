import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packs what was built in this folder. Returns the path of the tarball. */
export async function pack(folder: string, destination: string): Promise<string> {
  const quietly = ['--ignore-scripts', '--json', '--loglevel=error'];
  const { stdout } = await run('npm', ['pack', ...quietly, '--pack-destination', destination], {
    cwd: folder,
  });
  const [packed]: readonly { filename: string }[] = JSON.parse(stdout);
  if (packed === undefined) throw new Error(`npm pack created nothing from ${folder}`);
  return join(destination, packed.filename);
}
