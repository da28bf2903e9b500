import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/** The TypeScript files in a folder of the project, as paths from the project: `src/domain/errors.ts`. */
export function sourceFiles(project: string, folder: string): string[] {
  const root = join(project, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

export function parse(project: string, file: string): ts.SourceFile {
  const setParentNodes = true;
  return ts.createSourceFile(
    file,
    readFileSync(join(project, file), 'utf8'),
    ts.ScriptTarget.Latest,
    setParentNodes,
  );
}

export function* descendants(node: ts.Node): Generator<ts.Node> {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) {
    yield child;
    yield* descendants(child);
  }
}

export function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** The project's file to which a relative import leads, as the compiler resolves it; `null` for a package. */
export function importedFile(importer: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return posix.join(posix.dirname(importer), specifier).replace(/\.([cm]?)js$/, '.$1ts');
}
