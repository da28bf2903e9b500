import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { RunningProcess } from '../support/programs/running-process.js';
import { pack } from './pack.js';

const { name, bin, dependencies, optionalDependencies } = packageJson;

/**
 * A separate project after `npm install <tarball>`, without a request to a registry: the tarball is unpacked, and its
 * dependencies, as well as the packages that the project adds, are links to those of this project.
 */
export class OutsideProject {
  private constructor(
    readonly folder: string,
    readonly tarball: string,
  ) {}

  static async create(added: readonly string[] = []): Promise<OutsideProject> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-outside-'));
    const project = new OutsideProject(folder, await pack('.', folder));
    const installed = project.path('node_modules', name);
    await mkdir(installed, { recursive: true });
    await promisify(execFile)('tar', ['-xzf', project.tarball, '-C', installed, '--strip-components=1']);
    await project.link(...Object.keys({ ...dependencies, ...optionalDependencies }), ...added);
    for (const [command, file] of Object.entries(bin)) {
      await chmod(join(installed, file), 0o755);
      await project.#link(join(installed, file), `node_modules/.bin/${command}`);
    }
    await project.write('package.json', '{ "type": "module" }');
    return project;
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(file)), { recursive: true });
    await writeFile(this.path(file), text);
  }

  async link(...packages: readonly string[]): Promise<void> {
    for (const each of packages) await this.#link(resolve('node_modules', each), `node_modules/${each}`);
  }

  async unlink(...packages: readonly string[]): Promise<void> {
    for (const each of packages) await unlink(this.path('node_modules', each));
  }

  start(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): RunningProcess {
    return new RunningProcess(
      command,
      args,
      { PATH: process.env.PATH, NO_COLOR: '1', ...environment },
      this.folder,
    );
  }

  /** Runs a command to its end. */
  async run(command: string, ...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const running = this.start(command, args);
    return { code: await running.exitCode(), output: running.output };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  async #link(target: string, path: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    // A package for other systems does not exist: its link leads nowhere, as if it were not installed.
    await symlink(target, this.path(path));
  }
}
