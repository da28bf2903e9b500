import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly run?: string }[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

describe(FOLDER, () => {
  const texts = readdirSync(FOLDER).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
  const workflows = texts.map((text): Workflow => parse(text));
  const jobs = workflows.flatMap((workflow) => Object.entries(workflow.jobs));

  it('uses actions by their digest, with the version that it is', () => {
    const uses = texts.join('\n').match(/(?<=uses: ).+/g) ?? [];
    expect(uses).not.to.have.length(0);
    const unpinned = uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/.test(action));
    expect(unpinned).to.eql(['./.github/workflows/ci.yml']);
  });

  it('permits no more than each job needs', () => {
    for (const { permissions = { all: 'write' } } of workflows)
      expect(Object.values(permissions)).not.to.include('write');
    const written = jobs.map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((scope) => permissions[scope] === 'write'),
    ]);
    expect(Object.fromEntries(written)).to.eql({
      test: [],
      npm: ['id-token'],
      image: ['packages', 'id-token'],
    });
  });

  it('puts no expression into a script, which a branch or a tag could use to run its own', () => {
    const scripts = jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts).to.include('.ci/run');
    expect(scripts.filter((script) => script.includes('${{'))).to.eql([]);
  });
});
