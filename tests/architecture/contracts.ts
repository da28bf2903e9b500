import ts from 'typescript';
import type { Breach, Check } from './check.js';
import { type Adapter, adaptersOf, portFolder, portsOf } from './ports-and-adapters.js';
import { descendants, importedFile, parse, placeOf, sourceFiles } from './sources.js';

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

/**
 * An adapter passes its contract if some test imports both, directly or through helpers under tests/. This is read
 * from the sources, so that no adapter which a team adds can be forgotten.
 */
export const contracts: Check = {
  rules: [named, paired, written, passed],

  async findBreaches(project) {
    const adapters = adaptersOf(project);
    const tests = importsOfTests(project);
    const suites = sourceFiles(project, 'src/contracts');
    const breaches: Breach[] = [];
    const report = (rule: { name: string }, node: ts.Node, detail: string) =>
      breaches.push({ rule: rule.name, place: placeOf(node), detail });

    for (const { port, node } of adapters) {
      if (port.includes('#')) report(named, node, `implements ${portFolder}/${port}`);
    }
    for (const { name, declaration } of portsOf(project)) {
      const contract = suites.find((file) => file.endsWith(`/${name}.contract.ts`));
      const ofPort = adapters.filter(({ port }) => port === name);
      if (!isPaired(ofPort)) report(paired, declaration, filesOf(ofPort) || 'no adapter');
      if (contract === undefined) {
        report(written, declaration, `src/contracts/…/${name}.contract.ts`);
        continue;
      }
      for (const { file, node } of ofPort) {
        const isTested = tests.some((imported) => imported.has(contract) && imported.has(file));
        if (!isTested) report(passed, node, contract);
      }
    }
    return breaches;
  },
};

function isPaired(adapters: readonly Adapter[]): boolean {
  const isIn = (folder: string) => (adapter: Adapter) => adapter.file.startsWith(`src/${folder}/`);
  const inMemory = adapters.filter(
    (adapter) => isIn('adapters/memory')(adapter) || isIn('contracts/fakes')(adapter),
  );
  return adapters.some(isIn('adapters/system')) || (inMemory.length > 0 && inMemory.length < adapters.length);
}

function filesOf(adapters: readonly Adapter[]): string {
  return adapters.map(({ file }) => file).join(', ');
}

/** For each test, the files that it imports to run them, including those imported by helpers under tests/. */
function importsOfTests(project: string): Set<string>[] {
  const files = sourceFiles(project, 'tests').filter((file) => !file.startsWith('tests/architecture/'));
  const imports = new Map(files.map((file) => [file, runtimeImports(parse(project, file))]));
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .map((test) => {
      const reached = new Set([test]);
      // The iteration over a set includes what is added in the meantime.
      for (const file of reached) for (const imported of imports.get(file) ?? []) reached.add(imported);
      return reached;
    });
}

function runtimeImports(source: ts.SourceFile): string[] {
  return [...descendants(source)].flatMap((node) => {
    const specifier = runtimeSpecifier(node);
    const file = specifier && ts.isStringLiteral(specifier) && importedFile(source.fileName, specifier.text);
    return file ? [file] : [];
  });
}

function runtimeSpecifier(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node)) return isTypeOnly(node) ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier;
  const isImportCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImportCall ? node.arguments[0] : undefined;
}

function isTypeOnly({ importClause: clause }: ts.ImportDeclaration): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  if (clause.name || !bindings || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.every((element) => element.isTypeOnly);
}
