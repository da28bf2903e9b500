import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { expect } from 'chai';
import type { Runner } from '../contracts/runner.js';
import { cruiseSources } from './cruise.js';
import { LAYERS, type Layers } from './layers.js';
import { architectureRules, type Rule } from './rules.js';

export interface ArchitectureSubject {
  /** The folder of the package. */
  readonly project: string;
  /** Default: the layers of this project. */
  readonly layers?: Partial<Layers>;
  /** Additional rules, besides those of `architectureRules`. */
  readonly rules?: readonly Rule[];
}

/** Verifies the rules, and that dependency-cruiser supports the installed TypeScript. */
export function architectureContract(runner: Runner, subject: ArchitectureSubject): void {
  const { describe, it } = runner;
  const layers = { ...LAYERS, ...subject.layers };
  const rules = [...architectureRules(layers), ...(subject.rules ?? [])];
  const cruise = (project: string) => cruiseSources(project, layers.sources, rules);

  describe('The architecture of the package', () => {
    it('is looked at in every file', async () => {
      const { modules } = await cruise(subject.project);
      const files = await sourceFiles(subject.project, layers.sources);
      expect(files, `files in ${layers.sources}`).not.to.have.length(0);
      expect(
        modules.map(({ source }) => source),
        PARSER_HINT,
      ).to.include.members(files);
    });

    it('breaks no rule', async () => {
      const { summary } = await cruise(subject.project);
      const breaches = summary.violations.map(({ rule, from, to }) => {
        const why = rules.find(({ name }) => name === rule.name)?.comment;
        return `${rule.name}: ${from} imports ${to}. ${why}`;
      });
      expect(breaches).to.deep.equal([]);
    });
  });
}

const PARSER_HINT =
  'dependency-cruiser parses TypeScript with the installed compiler, up to version 6, and skips files that it cannot parse';

async function sourceFiles(project: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(project, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
