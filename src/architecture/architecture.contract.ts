import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { expect } from 'chai';
import type { Runner } from '../contracts/runner.js';
import { MANIFEST, PACKAGES, type PlantedViolation, plantedBreaches } from './breaches.js';
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

/**
 * Verifies the rules, and that they find violations: dependency-cruiser sees no imports if it does
 * not support the installed TypeScript.
 */
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

  describe('The rules of the architecture', () => {
    for (const breach of plantedBreaches(layers)) {
      it(`find a breach of ${breach.rule} that is planted`, async () => {
        const { violations } = (await inFolderOf(breach, cruise)).summary;
        const breaches = violations.map(({ rule, from }) => `${rule.name} in ${from}`);
        expect(breaches, PARSER_HINT).to.include(`${breach.rule} in ${breach.file}`);
      });
    }
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

async function inFolderOf<Result>(
  { files }: PlantedViolation,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'planted-breach-'));
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  try {
    await write('package.json', JSON.stringify(MANIFEST));
    for (const name of PACKAGES) {
      await write(
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: '1.0.0', main: 'main.js' }),
      );
      await write(`node_modules/${name}/main.js`, '');
    }
    for (const [file, text] of Object.entries(files)) await write(file, text);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
