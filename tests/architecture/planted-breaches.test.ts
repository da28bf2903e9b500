import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { comments } from './comments.js';
import { contracts } from './contracts.js';
import { databaseConnections } from './database-connections.js';
import { purity } from './domain-purity.js';
import { imports } from './imports.js';
import { names } from './names.js';
import { homes } from './rules.mjs';
import { sourceFiles } from './sources.js';

const violations = join(import.meta.dirname, 'violations');
const checks = [imports, purity, contracts, databaseConnections, names, comments];

/**
 * violations/<rule>/ is a tiny project that breaks this rule on exactly the lines that end with `// breach`. That a rule finds nothing in src proves little until it has found these breaches.
 */
describe('Each rule of the architecture', () => {
  const namesOfHomes = homes.map(({ name }) => name);
  const all = checks.flatMap((check) => check.rules.map(({ name }) => ({ name, check })));
  const rules = all.filter(({ name }) => name === 'koa-stays-in-http' || !namesOfHomes.includes(name));

  it('has a unique name and a planted breach', () => {
    expect(readdirSync(violations)).to.have.members(rules.map(({ name }) => name));
  });

  it('gives a reason', () => {
    for (const check of checks) {
      for (const rule of check.rules) expect(rule.comment, rule.name).to.match(/^.{40,}\.$/);
    }
  });

  for (const { name, check } of rules) {
    it(`finds the planted breach of ${name}, and its check no other`, async () => {
      const project = join(violations, name);
      const planted = plantedBreaches(project).map((place) => `${name} at ${place}`);
      const found = await check.findBreaches(project);
      expect(planted).not.to.have.length(0);
      expect(found.map((breach) => `${breach.rule} at ${breach.place}`)).to.have.members(planted);
    });
  }
});

function plantedBreaches(project: string): string[] {
  return sourceFiles(project, 'src').flatMap((file) =>
    readFileSync(join(project, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.endsWith('// breach') ? [`${file}:${index + 1}`] : [])),
  );
}
