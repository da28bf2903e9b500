// `npm version` runs this before its commit. It writes the new version to all other places that have it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { npm_old_version: old, npm_new_version: version } = process.env;

edit('CHANGELOG.md', (text) => {
  const unreleased = /^## \[Unreleased\]\n(?=\n+[^#]|\n+### )/m;
  if (!unreleased.test(text)) throw new Error('CHANGELOG.md: there is nothing under [Unreleased]');
  const today = new Date().toISOString().slice(0, 10);
  return text.replace(unreleased, `## [Unreleased]\n\n## [${version}] - ${today}\n`);
});
// The first release has the version that is written everywhere already.
if (version !== old) {
  for (const file of ['deploy/kubernetes/image', 'docs/examples/kubernetes'])
    edit(`${file}/kustomization.yaml`, (text) => text.replaceAll(old, version));
  const jobOf = (of) => `blog-read-api-migrate-${of.replaceAll('.', '-')}`;
  for (const file of ['deploy/kubernetes/migrate/migrate.yaml', 'docs/kubernetes.md'])
    edit(file, (text) => text.replaceAll(jobOf(old), jobOf(version)));
  for (const page of ['docs/extending.md', 'tests/qa/guides/extending.test.ts']) {
    edit(page, (text) => text.replaceAll(`-${old}.tgz`, `-${version}.tgz`));
  }
}

function edit(file, change) {
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} does not name ${old}`);
  writeFileSync(file, changed);
  execFileSync('git', ['add', file]);
}
