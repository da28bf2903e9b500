import { posix } from 'node:path';
import ts from 'typescript';
import { descendants, importedFile, parse, sourceFiles } from './sources.js';

export interface Port {
  /** For example `request-log`, of src/domain/ports/request-log.ts, which declares `RequestLog`. */
  readonly name: string;
  readonly declaration: ts.Node;
}

export interface Adapter {
  /**
   * The name of its port; `request-log.ts#RequestCount` if it implements an interface that the file is not named
   * after.
   */
  readonly port: string;
  readonly file: string;
  readonly node: ts.Node;
}

export const portFolder = 'src/domain/ports';

export function portsOf(project: string): Port[] {
  return sourceFiles(project, portFolder).flatMap((file) => {
    const name = posix.basename(file, '.ts');
    const declaration = parse(project, file).statements.find(
      (node) =>
        (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
        node.name.text === pascalCase(name),
    );
    return declaration ? [{ name, declaration }] : [];
  });
}

/** All classes that implement a port, and everything that src/adapters exports with a port as its type. */
export function adaptersOf(project: string): Adapter[] {
  return sourceFiles(project, 'src').flatMap((file) => {
    const source = parse(project, file);
    const ports = importedPorts(source);
    if (ports.size === 0) return [];
    const inAdapters = file.startsWith('src/adapters/');
    return [...descendants(source)].flatMap((node) => {
      const classTypes = implementedTypes(node).map((type) => ports.get(type));
      const otherTypes = inAdapters ? exportedTypes(node).map((type) => ports.get(type)) : [];
      // A function may also return another type of a port's file, such as data.
      return [...classTypes, ...otherTypes.filter((port) => !port?.includes('#'))].flatMap((port) =>
        port ? [{ port, file, node }] : [],
      );
    });
  });
}

/** The ports that a file imports, by their local names. */
function importedPorts(source: ts.SourceFile): Map<string, string> {
  const ports = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const file = importedFile(source.fileName, (statement.moduleSpecifier as ts.StringLiteral).text);
    const bindings = statement.importClause?.namedBindings;
    if (!file?.startsWith(`${portFolder}/`) || !bindings || !ts.isNamedImports(bindings)) continue;
    const port = posix.basename(file, '.ts');
    for (const element of bindings.elements) {
      const exported = (element.propertyName ?? element.name).text;
      ports.set(element.name.text, exported === pascalCase(port) ? port : `${port}.ts#${exported}`);
    }
  }
  return ports;
}

function implementedTypes(node: ts.Node): string[] {
  if (!ts.isClassLike(node)) return [];
  return (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
    .flatMap(({ types }) => types.map(({ expression }) => expression.getText()));
}

function exportedTypes(node: ts.Node): string[] {
  if (!ts.isFunctionDeclaration(node) && !ts.isVariableDeclaration(node)) return [];
  if ((ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) === 0) return [];
  const types = [node.type];
  const value = ts.isVariableDeclaration(node) ? node.initializer : undefined;
  if (value && (ts.isArrowFunction(value) || ts.isSatisfiesExpression(value))) types.push(value.type);
  return types.flatMap((type) => (type && ts.isTypeReferenceNode(type) ? [type.typeName.getText()] : []));
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
