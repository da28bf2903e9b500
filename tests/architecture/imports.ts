import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';
import type { Breach, Check } from './check.js';

const { forbidden = [], options } = await extractDepcruiseConfig(join(import.meta.dirname, 'rules.cjs'));

/** The rules of rules.cjs. */
export const imports: Check = {
  rules: forbidden.map(({ name = '', comment = '' }) => ({ name, comment })),

  async findBreaches(project) {
    const { summary } = await cruiseSources(project);
    return summary.violations.map(({ rule, from, to, unresolvedTo }): Breach => {
      const imported = unresolvedTo ?? to;
      return {
        rule: rule.name,
        place: `${from}:${lineOfImport(project, from, imported)}`,
        ...(imported === from ? {} : { detail: `imports ${imported}` }),
      };
    });
  },
};

export async function cruiseSources(project: string): Promise<ICruiseResult> {
  const { output } = await cruise(['src'], {
    ...options,
    baseDir: project,
    validate: true,
    ruleSet: { forbidden },
  });
  if (typeof output === 'string') throw new Error(output);
  return output;
}

/** dependency-cruiser names the two files; a line in the first saves a search. */
function lineOfImport(project: string, file: string, specifier: string): number {
  const lines = readFileSync(join(project, file), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`'${specifier}'`)) + 1 || 1;
}
