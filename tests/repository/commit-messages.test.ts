import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { findProgram } from '../support/find-program.js';
import { skipWithout } from '../support/run-notes.js';

/** The committer: a CI machine has no identity, and settings of a developer do not apply. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'committer@example.test',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'committer@example.test',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A repository with some files of this one, in one commit. */
class ScratchRepository {
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

describe('A commit', () => {
  let repository: ScratchRepository;

  before(async function () {
    if (findProgram('git') === null) return skipWithout(this, 'git (on the PATH)');
    repository = await ScratchRepository.of(['.ci', '.githooks', 'package.json']);
    await repository.run('npm', 'run', '-s', 'hooks');
  });
  after(() => repository?.remove());

  const commit = (message: string) => repository.run('git', 'commit', '-q', '--allow-empty', '-m', message);

  for (const message of [
    'State how fast it is, and which promises are missed',
    'docs/extending.md describes the install script of a dependency',
    '`npm test` reports what was skipped: nobody counted it\n\nThe text says why.',
    "Merge branch 'main'",
  ]) {
    it(`is made with “${message.split('\n')[0]}”`, async () => {
      expect(await commit(message)).to.eql({ code: 0, output: '' });
    });
  }

  for (const [message, reason] of [
    ['Fix', 'the subject has fewer than 15 characters'],
    [
      `Totals are counted again ${'in stretches '.repeat(5)}at night`,
      'the subject has more than 72 characters',
    ],
    ['Totals are counted again\nin stretches', 'the second line is not empty'],
    ['Totals are counted again in stretches.', 'the subject ends with a full stop'],
    ['fixup! Totals are counted again', 'squash it before it is shared'],
    ['WIP on the totals of lists', 'squash it before it is shared'],
    ['feat(sync): count totals again', 'say it in a sentence, without a type'],
  ] as const) {
    it(`is refused with “${message.split('\n')[0]}”`, async () => {
      const { code, output } = await commit(message);
      expect(output).to.contain(reason);
      expect(code).to.equal(1);
    });
  }

  it('is not checked by CI in a clone without history, which CI reports', async () => {
    const { code, output } = await repository.run('.ci/check-commits');
    expect(output).to.match(/^The commit messages are not checked: /);
    expect(code).to.equal(0);
  });
});
