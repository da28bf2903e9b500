import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { findProgram } from '../support/find-program.js';
import { skipWithout } from '../support/run-notes.js';
import { ScratchRepository } from './scratch-repository.js';

const NAMES_THE_VERSION = [
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  '.ci',
  'deploy',
  'docs',
  'tests/qa/guides',
];
const { version } = packageJson;
const next = `${Number(version.split('.')[0]) + 1}.0.0`;

describe('A dry run of a release', () => {
  let repository: ScratchRepository;

  beforeEach(async function () {
    if (findProgram('git') === null) return skipWithout(this, 'git (on the PATH)');
    repository = await ScratchRepository.of(NAMES_THE_VERSION);
  });
  afterEach(() => repository?.remove());

  const dryRun = () => repository.run('.ci/release-dry-run', 'major');
  const changelog = () => join(repository.folder, 'CHANGELOG.md');

  it('shows the commit that a release would make: each place that names the version, and the section of the CHANGELOG', async () => {
    await writeFile(changelog(), '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Planted.\n');
    await repository.run('git', 'commit', '-qam', 'Something to release');

    const { code, output } = await dryRun();

    expect(code, output).to.equal(0);
    expect(output).to.contain(`tag: v${next}`).and.to.contain(`Release ${next}`);
    expect(output).to.match(/^ ## \[Unreleased\]\n \n\+## \[\d+\.0\.0\] - \d{4}-\d\d-\d\d\n\+\n ### Added/m);
    expect(output).to.contain(`-  "version": "${version}",\n+  "version": "${next}",`);
    const written = [...output.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file]) => file);
    expect(written).to.have.members([
      'CHANGELOG.md',
      ...['base', 'demo-dashboard', 'migrate'].map((part) => `deploy/kubernetes/${part}/kustomization.yaml`),
      ...['README.md', 'package.json'].map((file) => `docs/examples/own-store/${file}`),
      'docs/extending.md',
      'package-lock.json',
      'package.json',
      'tests/qa/guides/extending.test.ts',
    ]);
    expect((await repository.run('git', 'status', '--porcelain', '--untracked-files=no')).output).to.equal(
      '',
    );
    expect((await repository.run('git', 'tag')).output).to.equal('');
  });

  it('fails if nothing is unreleased', async () => {
    await writeFile(
      changelog(),
      '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-11-22\n\n- The first.\n',
    );
    await repository.run('git', 'commit', '-qam', 'Nothing to release');

    const { code, output } = await dryRun();

    expect(output).to.contain('CHANGELOG.md: there is nothing under [Unreleased]');
    expect(code).not.to.equal(0);
  });
});
