import { resolve, sep } from 'node:path';
import ts from 'typescript';
import packageJson from '../../package.json' with { type: 'json' };

const BUILT = resolve('dist') + sep;
const INTRODUCTION = `The exports of the package, as built, with all of its own types that they refer to. \`npm run api:report\` writes this page, and a test
compares it. [The package](package.md) describes which changes each kind of release may contain.`;

/** In Markdown: the exported names of each entry point, and their declarations without comments and private members. */
export function apiReport(): string {
  const entries = Object.entries(packageJson.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: packageJson.name + path.slice(1), file: resolve(target.types) }],
  );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, types: ['node'], strict: true },
  );
  const checker = program.getTypeChecker();
  const declared = new Declarations(checker);
  const sections = entries.map(({ name, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing: run \`npm run build\``);
    const exported = checker.getExportsOfModule(module);
    for (const symbol of exported) declared.add(symbol);
    const names = exported.map((symbol) => symbol.name).toSorted();
    return `## ${name}\n\n${names.map((each) => `\`${each}\``).join(', ')}\n`;
  });
  const declarations = `## Declarations\n\n\`\`\`ts\n${declared.texts().join('\n\n')}\n\`\`\`\n`;
  return ['# What the package exports\n', `${INTRODUCTION}\n`, ...sections, declarations].join('\n');
}

/** The declarations of the package itself that were reached, each once. */
class Declarations {
  readonly #reached = new Set<ts.Declaration>();

  constructor(private readonly checker: ts.TypeChecker) {}

  add(symbol: ts.Symbol): void {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const { declarations = [] } = isAlias ? this.checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of declarations) {
      if (!isOwn(declaration) || this.#reached.has(declaration)) continue;
      this.#reached.add(declaration);
      this.#follow(declaration);
    }
  }

  texts(): readonly string[] {
    const printer = ts.createPrinter({ removeComments: true });
    const texts = [...this.#reached].map((declaration) => {
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
      return printer.printNode(ts.EmitHint.Unspecified, withoutPrivate(node), node.getSourceFile());
    });
    return [...new Set(texts)].toSorted(byDeclaredName);
  }

  #follow(node: ts.Node): void {
    ts.forEachChild(node, (child) => {
      if (isPrivate(child)) return;
      const symbol = ts.isIdentifier(child) ? this.checker.getSymbolAtLocation(child) : undefined;
      if (symbol !== undefined) this.add(symbol);
      // `import('./blog.js').Blog`, as the compiler writes inferred types.
      this.#follow(child);
    });
  }
}

/** Whether it is a declaration of its own, and not a part of another one, such as a property. */
function isOwn(declaration: ts.Declaration): boolean {
  const isWhole =
    ts.isInterfaceDeclaration(declaration) ||
    ts.isTypeAliasDeclaration(declaration) ||
    ts.isClassDeclaration(declaration) ||
    ts.isFunctionDeclaration(declaration) ||
    (ts.isVariableDeclaration(declaration) && ts.isSourceFile(declaration.parent.parent.parent));
  return isWhole && resolve(declaration.getSourceFile().fileName).startsWith(BUILT);
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  const isNamedSo = node.name !== undefined && ts.isPrivateIdentifier(node.name);
  return isNamedSo || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0;
}

function withoutPrivate(node: ts.Node): ts.Node {
  if (!ts.isClassDeclaration(node)) return node;
  const { modifiers, name, typeParameters, heritageClauses, members } = node;
  const others = members.filter((member) => !isPrivate(member));
  return ts.factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, others);
}

function byDeclaredName(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.replace(/^(export |declare |abstract |default )*\w+ /, ''));
  return a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1;
}
