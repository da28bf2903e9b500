import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The committer: a CI machine has no identity, and settings of a developer do not apply. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'committer@example.test',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'committer@example.test',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A repository with some files of this one, in one commit. */
export class ScratchRepository {
  private constructor(readonly folder: string) {}

  static async of(files: readonly string[]): Promise<ScratchRepository> {
    const repository = new ScratchRepository(await mkdtemp(join(tmpdir(), 'blog-read-api-scratch-')));
    for (const file of files) {
      await mkdir(dirname(join(repository.folder, file)), { recursive: true });
      await cp(file, join(repository.folder, file), { recursive: true });
    }
    await repository.run('git', 'init', '-q');
    await repository.run('git', 'add', '-A');
    await repository.run('git', 'commit', '-q', '-m', 'The beginning of the test');
    await symlink(resolve('node_modules'), join(repository.folder, 'node_modules'));
    return repository;
  }

  run(program: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
    const env = { ...process.env, ...IDENTITY };
    return new Promise((end) => {
      execFile(program, args, { cwd: this.folder, env }, (error, stdout, stderr) =>
        end({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
    });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
