import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly container?: string;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly services?: Readonly<Record<string, { readonly image: string }>>;
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

describe(FOLDER, () => {
  const texts = readdirSync(FOLDER).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
  const workflows = texts.map((text): Workflow => parse(text));
  const jobs = workflows.flatMap((workflow) => Object.entries(workflow.jobs));

  it('uses actions and images by their digest, with the version that it is', () => {
    const uses = texts.join('\n').match(/(?<=uses: ).+/g) ?? [];
    expect(uses).not.to.have.length(0);
    const unpinned = uses.filter((action) => !/^[\w-]+(\/[\w-]+){1,2}@[0-9a-f]{40} # v[\d.]+$/.test(action));
    expect(unpinned).to.eql(['./.github/workflows/ci.yml']);
    const images = jobs.flatMap(([, { container, strategy, services = {} }]) => [
      ...(container === undefined ? [] : (strategy?.matrix.node ?? [container])),
      ...Object.values(services).map(({ image }) => image),
    ]);
    expect(images.map((image) => image.split(':')[1]?.replace(/-.*/, ''))).to.eql(['22', '24', '26', '17']);
    for (const image of images) expect(image).to.match(/@sha256:[0-9a-f]{64}$/);
  });

  it('permits no more than each job needs', () => {
    for (const { permissions = { all: 'write' } } of workflows)
      expect(Object.values(permissions)).not.to.include('write');
    const written = jobs.map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((scope) => permissions[scope] === 'write'),
    ]);
    expect(Object.fromEntries(written)).to.eql({
      ...{ test: [], manifests: [], build: [] },
      npm: ['id-token'],
      image: ['packages', 'id-token'],
      github: ['contents'],
      ...{ codeql: ['security-events'], scan: ['security-events'], scorecard: ['security-events'] },
    });
  });

  it('publishes only what another job built, with no secret, and where an identity is given only if a maintainer agrees', () => {
    const publishing = jobs.filter(([, { permissions = {} }]) =>
      ['id-token', 'packages', 'contents'].some((scope) => permissions[scope] === 'write'),
    );
    expect(publishing.map(([name]) => name)).to.eql(['npm', 'image', 'github']);
    for (const [name, { permissions = {}, environment, steps = [] }] of publishing) {
      if (permissions['id-token'] === 'write') expect(environment, name).to.equal('release');
      const did = JSON.stringify(steps);
      expect(did, name).to.contain('actions/download-artifact');
      expect(did, name).not.to.match(
        /actions\/checkout|npm ci|npm install|npm run|docker build|build-push-action/,
      );
      if (did.includes('npm publish')) expect(did).to.contain('--ignore-scripts');
    }
    expect(texts.join()).not.to.contain('secrets.');
  });

  it('puts no expression into a script, which a branch or a tag could use to run its own', () => {
    const scripts = jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts).to.include('.ci/run');
    expect(scripts.filter((script) => script.includes('${{'))).to.eql([]);
  });
});
