import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICruiseResult } from 'dependency-cruiser';
import { cruiseSources as cruiseFolder } from '../../src/architecture/cruise.js';
import type { Breach, Check } from './check.js';
import rules from './rules.mjs';

const { forbidden } = rules;

/** The rules of rules.mjs. */
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

export function cruiseSources(project: string): Promise<ICruiseResult> {
  return cruiseFolder(project, 'src', forbidden);
}

/** dependency-cruiser reports the two files; the line in the first one saves a search. */
function lineOfImport(project: string, file: string, specifier: string): number {
  const lines = readFileSync(join(project, file), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`'${specifier}'`)) + 1 || 1;
}
