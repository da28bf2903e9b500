/** Where a package has what, as paths from its folder: of folders, or of single files. What it does not have is left empty. */
export interface Layers {
  /** All that the rules are about. */
  readonly sources: string;
  readonly domain: readonly string[];
  /** Each adapter is a folder in one of these. */
  readonly adapters: readonly string[];
  /** What wires the others, and what runs that. */
  readonly composition: readonly string[];
  /** What acts when it is loaded. */
  readonly entryPoints: readonly string[];
  /** What the package exports to others. */
  readonly exports: readonly string[];
  /** What it ships for the tests of others, with packages that these install. */
  readonly suites: readonly string[];
  readonly tests: readonly string[];
}

/** Those of this project; where a package has the same, it says nothing. */
export const LAYERS: Layers = {
  sources: 'src',
  domain: ['src/domain'],
  adapters: ['src/adapters'],
  composition: ['src/composition', 'src/programs'],
  entryPoints: ['src/bin'],
  exports: ['src/package'],
  suites: ['src/contracts', 'src/architecture'],
  tests: ['tests'],
};

/** Patterns for what lies in these folders, and for these files. */
export function inside(...paths: readonly string[]): string[] {
  return paths.map((path) => `^${path.replaceAll('.', '\\.')}${isFile(path) ? '$' : '/'}`);
}

/** A file of this name there, or the very file. */
export function fileIn(path: string, name: string): string {
  return isFile(path) ? path : `${path}/${name}.ts`;
}

function isFile(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}
