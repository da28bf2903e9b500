import { posix } from 'node:path';
import { fileIn, type Layers } from './layers.js';

/** A minimal project that violates one rule in one file. */
export interface PlantedViolation {
  readonly rule: string;
  readonly file: string;
  readonly files: Readonly<Record<string, string>>;
}

/** One declared dependency, one of the tests, and one undeclared package. */
export const PACKAGES = ['declared', 'of-tests', 'by-chance'];
export const MANIFEST = {
  type: 'module',
  dependencies: { declared: '*' },
  devDependencies: { 'of-tests': '*' },
};

/** A violation of each rule, in these layers. */
export function plantedBreaches(layers: Layers): readonly PlantedViolation[] {
  const { sources, domain, adapters, composition, entryPoints, exports, tests } = layers;
  const breaches: PlantedViolation[] = [];
  const plant = (rule: string, files: Readonly<Record<string, string>>) => {
    const [file = ''] = Object.keys(files);
    breaches.push({ rule, file, files });
  };
  /** A file that imports another file, which imports nothing. */
  const plantImport = (rule: string, file: string, imported: string) =>
    plant(rule, { [file]: importing(pathFrom(file, imported)), [imported]: NOTHING });
  const [inDomain, inAdapters] = [domain, adapters].map(([folder]) => folder);
  const anywhere = `${sources}/planted/planted.ts`;
  const anAdapter = inAdapters === undefined ? anywhere : `${inAdapters}/one/planted.ts`;

  if (inDomain !== undefined) {
    const file = fileIn(inDomain, 'planted');
    plant('domain-imports-no-npm-package', { [file]: importing('declared') });
    plant('domain-imports-no-node-builtin', { [file]: importing('node:fs') });
    plantImport('domain-imports-no-outer-layer', file, anAdapter);
  }
  if (inAdapters !== undefined) {
    plantImport('adapters-do-not-know-each-other', anAdapter, `${inAdapters}/other/planted.ts`);
    plantImport('adapters-import-their-folder-the-domain-and-packages', anAdapter, anywhere);
  }
  for (const [rule, [folder]] of [
    ['only-entry-points-import-composition', composition],
    ['nothing-imports-bin', entryPoints],
    ['src-never-imports-tests', tests],
  ] as const) {
    if (folder !== undefined) plantImport(rule, anAdapter, fileIn(folder, 'planted'));
  }
  const [entry] = [...entryPoints, ...composition];
  if (exports[0] !== undefined && entry !== undefined) {
    const rule = 'nothing-imports-the-package-entry-points';
    plantImport(rule, fileIn(entry, 'planted'), fileIn(exports[0], 'planted'));
  }
  plant('no-cycles', {
    [anywhere]: importing('./second.js'),
    [`${sources}/planted/second.ts`]: importing('./planted.js'),
  });
  plant('no-orphans', { [anywhere]: NOTHING });
  plantImport('no-barrels', `${sources}/planted/index.ts`, anywhere);
  plant('nothing-unresolvable', { [anywhere]: importing('./gone.js') });
  plant('src-imports-no-dev-dependency', { [anAdapter]: importing('of-tests') });
  plant('src-imports-no-undeclared-package', { [anAdapter]: importing('by-chance') });
  return breaches;
}

const NOTHING = 'export interface Planted {}\n';

/** Imports only a type, which is how most layers are violated. */
function importing(specifier: string): string {
  return `import type { Planted } from '${specifier}';\n\nexport type Found = Planted;\n`;
}

function pathFrom(file: string, imported: string): string {
  const path = posix.relative(posix.dirname(file), imported).replace(/\.([cm]?)ts$/, '.$1js');
  return path.startsWith('.') ? path : `./${path}`;
}
