import type { IRegularForbiddenRuleType } from 'dependency-cruiser';
import { inside, LAYERS, type Layers } from './layers.js';

/** A rule of dependency-cruiser on allowed imports. */
export type Rule = IRegularForbiddenRuleType;

/** The comment explains the reason to the person who violated the rule. */
export function forbid(name: string, comment: string, from: Rule['from'], to: Rule['to']): Rule {
  return { name, comment, severity: 'error', from, to };
}

/** The rules for any package with these layers. Rules about a missing layer are left out. */
export function architectureRules(given: Partial<Layers> = {}): readonly Rule[] {
  const layers = { ...LAYERS, ...given };
  return [
    ...(layers.domain.length === 0 ? [] : domainRules(layers)),
    ...(layers.adapters.length === 0 ? [] : adapterRules(layers)),
    ...layerRules(layers),
    ...hygiene(layers),
  ];
}

/** Only these folders may import the package; the domain has a stricter rule of its own. */
export function packageHome(
  name: string,
  packages: string,
  folders: readonly string[],
  comment: string,
  layers: Partial<Layers> = {},
): Rule {
  const { sources, domain } = { ...LAYERS, ...layers };
  const from = { path: inside(sources), pathNot: inside(...domain, ...folders) };
  return forbid(name, comment, from, { path: `(^|node_modules/)(${packages})(/|$)` });
}

function domainRules({ domain }: Layers): readonly Rule[] {
  const from = { path: inside(...domain) };
  return [
    forbid(
      'domain-imports-no-npm-package',
      'What the service decides must outlive the libraries it is served with: say what you need as a port, let an adapter use the package.',
      from,
      { path: 'node_modules/' },
    ),
    forbid(
      'domain-imports-no-node-builtin',
      'A node: module is infrastructure (files, sockets, clocks, hashing). Behind a port it can be swapped, and set in a test.',
      from,
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'domain-imports-no-outer-layer',
      'Imports point inwards. A domain that knows an adapter, even by a type, changes whenever that adapter does.',
      from,
      { pathNot: [...inside(...domain), 'node_modules/'], dependencyTypesNot: ['core', 'unknown'] },
    ),
  ];
}

function adapterRules({
  sources,
  domain,
  adapters,
  shared,
  composition,
  entryPoints,
}: Layers): readonly Rule[] {
  const folders = `^(?:${adapters.join('|')})`;
  return [
    forbid(
      'adapters-do-not-know-each-other',
      'An adapter can be replaced only as long as no other adapter leans on it. What two of them share is a port, or composition wires it.',
      { path: `${folders}/([^/]+)/` },
      { path: inside(...adapters), pathNot: [`${folders}/$1/`, ...inside(...shared)] },
    ),
    forbid(
      'adapters-import-their-folder-the-domain-and-packages',
      'A shared "utils" beside the layers couples all adapters through the back door: put it where it belongs, or in each folder.',
      { path: inside(...adapters) },
      // The last two are forbidden below.
      { path: inside(sources), pathNot: inside(...adapters, ...domain, ...composition, ...entryPoints) },
    ),
  ];
}

function layerRules(layers: Layers): readonly Rule[] {
  const { sources, domain, composition, entryPoints, exports, tests } = layers;
  const rules: Rule[] = [];
  // The domain is excluded where its own rules are stricter, so that a violation is reported once.
  const fromAllBut = (...paths: readonly string[]) => ({
    path: inside(sources),
    pathNot: inside(...domain, ...paths),
  });
  if (composition.length > 0) {
    rules.push(
      forbid(
        'only-entry-points-import-composition',
        'Composition imports everything. Any module that imports it, except an entry point, can reach everything, and the layers are gone.',
        fromAllBut(...composition, ...entryPoints, ...exports),
        { path: inside(...composition) },
      ),
    );
  }
  if (entryPoints.length > 0) {
    rules.push(
      forbid(
        'nothing-imports-bin',
        'An entry point acts when it is loaded: it reads the environment, takes signals, exits.',
        fromAllBut(...entryPoints),
        { path: inside(...entryPoints) },
      ),
    );
  }
  if (exports.length > 0) {
    rules.push(
      forbid(
        'nothing-imports-the-package-entry-points',
        'What the package exports is for those who install it: it re-exports, and modules inside import the file itself.',
        // Another rule above forbids this import in the domain and adapters.
        { path: inside(...entryPoints, ...composition) },
        { path: inside(...exports) },
      ),
    );
  }
  if (tests.length > 0) {
    rules.push(
      forbid(
        'src-never-imports-tests',
        'Test doubles are not shipped. If the program needs one, it is an in-memory adapter.',
        fromAllBut(),
        { path: inside(...tests) },
      ),
    );
  }
  return rules;
}

function hygiene({ sources, domain, entryPoints, exports, suites }: Layers): readonly Rule[] {
  const all = { path: inside(sources) };
  const installed = { ...all, pathNot: inside(...domain, ...suites) };
  return [
    forbid(
      'no-cycles',
      'In a cycle no module can be understood, tested or moved without all the others. Move what both need to a third one.',
      all,
      { circular: true },
    ),
    forbid(
      'no-orphans',
      'A module that imports nothing and that no module imports is dead code, or code that was never wired.',
      { ...all, pathNot: [...inside(...entryPoints, ...exports), '\\.d\\.ts$'], orphan: true },
      {},
    ),
    forbid(
      'no-barrels',
      'An index.ts hides which module is meant, and makes a module that needs one load all. Import the file itself.',
      // `orphan: false` forbids the file itself, whatever it imports.
      { path: [`^${sources}/index\\.ts$`, `^${sources}/.+/index\\.ts$`], orphan: false },
      {},
    ),
    forbid(
      'nothing-unresolvable',
      'The import points to nothing: a typing error, a file not committed, or a package not installed.',
      all,
      { couldNotResolve: true },
    ),
    forbid(
      'src-imports-no-dev-dependency',
      'An installation for production does not have it: the program would fail on start, and only there.',
      installed,
      { dependencyTypes: ['npm-dev'] },
    ),
    forbid(
      'src-imports-no-undeclared-package',
      "It is there by chance, as some package's dependency, in a version that was not chosen. Declare it in package.json.",
      installed,
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
  ];
}
