import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { RunningProgram } from '../support/programs/program.js';

/** What a container runs, with the content of its files by their paths. */
export interface Container {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, string>;
}

/** Runs containers as processes of this machine, each with its own files and with ports that are free. */
export class Containers {
  readonly #running: RunningProgram[] = [];

  private constructor(private readonly folder: string) {}

  static async create(): Promise<Containers> {
    return new Containers(await mkdtemp(join(tmpdir(), 'containers-')));
  }

  async start({ args, environment, files }: Container): Promise<RunningProgram> {
    const root = await mkdtemp(join(this.folder, 'root-'));
    for (const [path, content] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    const present = Object.entries(environment).map(([name, value]) => [
      name,
      value.startsWith('/') ? join(root, value) : value,
    ]);
    const ports = { PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1', ADMIN_HOST: '127.0.0.1' };
    const program = new RunningProgram(args, { ...Object.fromEntries(present), ...ports });
    this.#running.push(program);
    return program;
  }

  async end(): Promise<void> {
    await Promise.all(this.#running.map((program) => program.end('SIGKILL')));
    await rm(this.folder, { recursive: true });
  }
}
