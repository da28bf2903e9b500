import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Breach, Check } from './check.js';
import { importedFile, sourceFiles } from './sources.js';

const PORTS = 'src/domain/ports';
const contractIn = (suites: readonly string[], port: string) =>
  suites.find((file) => file.endsWith(`/${port}.contract.ts`));

const named = {
  name: 'a-port-has-a-file-of-its-name',
  comment: 'The contract suite of a port is found by the name of its file, so each port needs its own file.',
};

const paired = {
  name: 'ports-come-in-pairs',
  comment:
    'A port needs a real adapter and one in memory, in src/adapters/memory or a fake in src/contracts/fakes: with only one of them, ' +
    'a promise cannot be distinguished from something that happens to work. Only a port of src/adapters/system (clock, log …) has no ' +
    'second adapter in src, because no program needs a clock that stands still: the second one is a test double in tests/support.',
};

const written = {
  name: 'every-port-has-a-contract',
  comment:
    'The promises of a port are written once, as a contract suite in src/contracts, which runs on every adapter.',
};

const passed = {
  name: 'every-adapter-passes-its-contract',
  comment:
    'Without a common contract suite, adapters come to differ: a test must import and run the suite with each adapter.',
};

/** A class that implements what it imports from a file of a port. */
interface Adapter {
  readonly port: string;
  readonly type: string;
  readonly file: string;
  readonly place: string;
}

/**
 * An adapter passes its contract if some test imports both, directly or through helpers under tests/. This is read
 * from the sources, so that no adapter which a team adds can be forgotten.
 */
export const contracts: Check = {
  rules: [named, paired, written, passed],

  async findBreaches(project) {
    const read = (file: string) => readFileSync(join(project, file), 'utf8');
    const adapters = sourceFiles(project, 'src').flatMap((file) => adaptersIn(file, read(file)));
    const tests = importsOfTests(project, read);
    const suites = sourceFiles(project, 'src/contracts');
    const breaches: Breach[] = adapters
      .filter(({ port, type }) => type !== pascalCase(port))
      .map(({ place, port, type }) => ({
        rule: named.name,
        place,
        detail: `${type} of ${PORTS}/${port}.ts`,
      }));
    for (const file of sourceFiles(project, PORTS)) {
      const port = posix.basename(file, '.ts');
      const contract = contractIn(suites, port);
      const declaration = new RegExp(`^export (?:interface|type) ${pascalCase(port)}\\b`, 'm').exec(
        read(file),
      );
      if (declaration === null) continue;
      const place = placeIn(file, read(file), declaration.index);
      const ofPort = adapters.filter((adapter) => adapter.port === port && adapter.type === pascalCase(port));
      if (!isPaired(ofPort)) breaches.push({ rule: paired.name, place, detail: `${ofPort.length} adapters` });
      if (contract === undefined) {
        breaches.push({ rule: written.name, place, detail: `src/contracts/…/${port}.contract.ts` });
      } else {
        const untested = ofPort.filter(
          (adapter) => !tests.some((imported) => imported.has(contract) && imported.has(adapter.file)),
        );
        breaches.push(
          ...untested.map((adapter) => ({ rule: passed.name, place: adapter.place, detail: contract })),
        );
      }
    }
    return breaches;
  },
};

function isPaired(adapters: readonly Adapter[]): boolean {
  const inMemory = adapters.filter(({ file }) => /^src\/(adapters\/memory|contracts\/fakes)\//.test(file));
  if (adapters.some(({ file }) => file.startsWith('src/adapters/system/'))) return true;
  return inMemory.length > 0 && inMemory.length < adapters.length;
}

const IMPORT = /^(?:import|export)\b([^'";]*?)(?:\bfrom )?'(\.[^']+)'/gm;
const CLASS = /\bclass \w+[^{]*? implements ([^{]+?) \{/g;

function adaptersIn(file: string, text: string): readonly Adapter[] {
  const portOf = new Map<string, string>();
  for (const [, clause = '', path = ''] of text.matchAll(IMPORT)) {
    const imported = importedFile(file, path);
    if (!imported?.startsWith(`${PORTS}/`)) continue;
    for (const name of clause.match(/\b[A-Z]\w*/g) ?? []) portOf.set(name, posix.basename(imported, '.ts'));
  }
  return [...text.matchAll(CLASS)].flatMap(({ index, 1: types = '' }) =>
    types.split(',').flatMap((name) => {
      const type = name.trim().replace(/<.*$/, '');
      const port = portOf.get(type);
      return port === undefined ? [] : [{ port, type, file, place: placeIn(file, text, index) }];
    }),
  );
}

/** For each test, the files that it imports to run them, including those imported by helpers under tests/. */
function importsOfTests(project: string, read: (file: string) => string): readonly Set<string>[] {
  const files = sourceFiles(project, 'tests').filter((file) => !file.startsWith('tests/architecture/'));
  const imports = new Map(files.map((file) => [file, runtimeImports(file, read(file))]));
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .map((test) => {
      const reached = new Set([test]);
      // The iteration over a set includes what is added in the meantime.
      for (const file of reached) for (const imported of imports.get(file) ?? []) reached.add(imported);
      return reached;
    });
}

function runtimeImports(file: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)]
    .filter(([, clause = '']) => !/^ type\b|^ \{(?:\s*type \w+,?)+\s*\} $/.test(clause))
    .flatMap(([, , path = '']) => importedFile(file, path) ?? []);
}

function placeIn(file: string, text: string, index: number): string {
  return `${file}:${text.slice(0, index).split('\n').length}`;
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
