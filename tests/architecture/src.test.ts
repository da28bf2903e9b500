import { resolve } from 'node:path';
import { expect } from 'chai';
import type { ICruiseResult } from 'dependency-cruiser';
import { type Breach, describeBreaches } from './check.js';
import { comments } from './comments.js';
import { contracts } from './contracts.js';
import { databaseConnections } from './database-connections.js';
import { purity } from './domain-purity.js';
import { cruiseSources, imports } from './imports.js';
import { names } from './names.js';
import { homes } from './rules.mjs';
import { sourceFiles } from './sources.js';

const project = resolve(import.meta.dirname, '../..');

describe('The architecture of src', () => {
  for (const check of [imports, purity, contracts, databaseConnections, names, comments]) {
    let breaches: readonly Breach[];

    before(async () => {
      breaches = await check.findBreaches(project);
    });

    for (const rule of check.rules) {
      it(sentence(rule.name), () => {
        const found = breaches.filter((breach) => breach.rule === rule.name);
        if (found.length > 0) expect.fail(describeBreaches(rule, found));
      });
    }
  }
});

/** A dependency-cruiser that cannot read the installed TypeScript reads no module, and reports no breach. */
describe('The set of modules that the rules on imports check', () => {
  let seen: ICruiseResult['modules'];

  before(async () => {
    seen = (await cruiseSources(project)).modules.filter(({ source }) => source.startsWith('src/'));
  });

  it('contains every file under src, and is not empty', () => {
    const files = sourceFiles(project, 'src');
    const modules = seen.map(({ source }) => source).filter((source) => !source.endsWith('.json'));
    expect(modules).to.have.members(files);
    expect(files).not.to.have.length(0);
  });

  it('includes an import of each package that only some folders may import', () => {
    const imported = seen.flatMap(({ dependencies }) => dependencies.map(({ resolved }) => resolved));
    // Knex loads mysql2 by its name.
    for (const { name, to } of homes.filter((home) => !home.name?.startsWith('mysql2'))) {
      const pattern = new RegExp(String(to.path));
      expect(
        imported.some((file) => pattern.test(file)),
        name,
      ).to.equal(true);
    }
  });

  it('includes imports of types only', () => {
    const types = seen
      .flatMap((module) => module.dependencies)
      .filter((dependency) => dependency.dependencyTypes.includes('type-only'));
    expect(types).not.to.have.length(0);
  });
});

function sentence(ruleName: string): string {
  return ruleName.replaceAll('-', ' ');
}
