import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const AUTHOR = { GIT_AUTHOR_NAME: 'test', GIT_AUTHOR_EMAIL: 'test@example.com' };
const COMMITTER = { GIT_COMMITTER_NAME: 'test', GIT_COMMITTER_EMAIL: 'test@example.com' };
const NOTHING_TO_RELEASE = /^## \[Unreleased\]\n+(?=## )/m;

describe('`npm run release`', () => {
  let clone: string;
  let version: string;

  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, {
      cwd: clone,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, ...AUTHOR, ...COMMITTER },
    });
  const release = (wanted: string) => run('npm', 'run', '--silent', 'release', '--', wanted);
  const read = (file: string) => readFile(join(clone, file), 'utf8');
  const tagged = () => run('git', 'tag', '--points-at', 'HEAD').trim();

  /** Adds an entry if the last commit was a release. */
  async function haveSomethingToRelease(): Promise<void> {
    const text = await read('CHANGELOG.md');
    if (!NOTHING_TO_RELEASE.test(text)) return;
    await writeFile(
      join(clone, 'CHANGELOG.md'),
      text.replace('## [Unreleased]\n', '## [Unreleased]\n\n### For operators\n\n- A change.\n'),
    );
    run('git', 'commit', '--quiet', '--all', '--message', 'A change that operators notice');
  }

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'blog-read-api-release-'));
    run('git', 'clone', '--quiet', process.cwd(), '.');
    for (const tag of run('git', 'tag').split('\n').filter(Boolean)) run('git', 'tag', '--delete', tag);
    ({ version } = JSON.parse(await read('package.json')));
    await haveSomethingToRelease();
  });

  afterEach(() => rm(clone, { recursive: true }));

  it('makes the first release from the version that package.json already has, and then has nothing to release', async () => {
    release(version);
    expect(tagged()).to.equal(`v${version}`);
    expect(run('git', 'log', '-1', '--format=%s').trim()).to.equal(`Release ${version}`);
    expect(run('git', 'status', '--porcelain')).to.equal('');
    const today = new Date().toISOString().slice(0, 10);
    expect(await read('CHANGELOG.md')).to.contain(`## [Unreleased]\n\n## [${version}] - ${today}\n`);

    const notes = run('.ci/changelog-section', version);
    expect(notes).to.contain('\n### For operators\n').and.not.to.contain('\n## ');
    expect(() => run('.ci/changelog-section', '0.0.1')).to.throw('says nothing about 0.0.1');

    expect(() => release('patch')).to.throw('there is nothing under [Unreleased]');
  });

  it('writes a later version to every place that has it', async () => {
    release('major');
    const next = `${Number.parseInt(version, 10) + 1}.0.0`;
    expect(tagged()).to.equal(`v${next}`);
    const job = `blog-read-api-migrate-${version.replaceAll('.', '-')}`;
    for (const place of [
      `api-${version}.tgz`,
      `api": "^${version}"`,
      `newTag: ${version}`,
      `ref=v${version}`,
      job,
    ])
      expect(() => run('git', 'grep', '--quiet', '--fixed-strings', place), place).to.throw();
    expect(await read('deploy/kubernetes/image/kustomization.yaml')).to.contain(`newTag: ${next}`);
  });
});
