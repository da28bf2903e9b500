import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };

describe('The Node flags of the programs', () => {
  for (const program of ['api', 'sync'] as const) {
    it(`keep the heap of \`npm run ${program}\` small, and docs/performance.md states the effect of each`, async () => {
      const flags = packageJson.scripts[program].match(/--\S+/g) ?? [];
      expect(flags.join()).to.contain('--heap-growing-percent=');
      const optimizations = await readFile('docs/performance.md', 'utf8');
      for (const flag of flags) {
        expect(optimizations).to.match(new RegExp(`^\\| .*\`${flag}\`.* in .*\`npm run ${program}\``, 'm'));
      }
    });
  }
});
