import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { contracts } from './contracts.js';
import { databaseConnections } from './database-connections.js';
import { purity } from './domain-purity.js';
import { imports } from './imports.js';
import { sourceFiles } from './sources.js';

const violations = join(import.meta.dirname, 'violations');
const checks = [imports, purity, contracts, databaseConnections];

/**
 * violations/<rule>/ is a tiny project that breaks that rule in the lines that say `// breach`, and no other rule, nor elsewhere.
 * A rule that finds nothing in src proves little until it has found that.
 */
describe('Each rule of the architecture', () => {
  const rules = checks.flatMap((check) => check.rules.map(({ name }) => name));

  it('has a name of its own, and a breach planted', () => {
    expect(readdirSync(violations)).to.have.members(rules);
  });

  it('says why', () => {
    for (const check of checks) {
      for (const rule of check.rules) expect(rule.comment, rule.name).to.match(/^.{40,}\.$/);
    }
  });

  for (const rule of rules) {
    it(`catches a breach of ${rule}, and no other`, async () => {
      const project = join(violations, rule);
      const planted = plantedBreaches(project).map((place) => `${rule} at ${place}`);
      const found = (await Promise.all(checks.map((check) => check.findBreaches(project)))).flat();
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
