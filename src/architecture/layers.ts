/** The folders or files of each layer, from the folder of the package; empty if it has none. */
export interface Layers {
  /** Everything that the rules apply to. */
  readonly sources: string;
  /** What imports no package and no adapter; use cases may have a folder of their own. */
  readonly domain: readonly string[];
  /** Each adapter is a folder in one of these. */
  readonly adapters: readonly string[];
  /** Those that other adapters are built on; they import no other one themselves. */
  readonly shared: readonly string[];
  /** What wires the other layers, and what runs the result. */
  readonly composition: readonly string[];
  /** Files that do something when they are loaded. */
  readonly entryPoints: readonly string[];
  /** What the package exports. */
  readonly exports: readonly string[];
  /** Test suites that the package ships, which may use packages that the other project installs. */
  readonly suites: readonly string[];
  readonly tests: readonly string[];
}

/** The layers of this project and the defaults for others. */
export const LAYERS: Layers = {
  sources: 'src',
  domain: ['src/domain', 'src/application'],
  adapters: ['src/adapters'],
  shared: ['src/adapters/sql'],
  composition: ['src/composition', 'src/programs'],
  entryPoints: ['src/bin'],
  exports: ['src/package'],
  suites: ['src/contracts', 'src/architecture'],
  tests: ['tests'],
};

/** Patterns that match these files and everything in these folders. */
export function inside(...paths: readonly string[]): string[] {
  return paths.map((path) => `^${path.replaceAll('.', '\\.')}${isFile(path) ? '$' : '/'}`);
}

function isFile(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}
