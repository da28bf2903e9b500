import ts from 'typescript';
import type { Breach, Check, Rule } from './check.js';
import { descendants, parse, placeOf, sourceFiles } from './sources.js';

interface SyntaxRule extends Rule {
  covers(file: string): boolean;
  isBrokenBy(node: ts.Node): boolean;
}

const inDomain = (file: string) => /^src\/(domain|application)\//.test(file);

const syntaxRules: readonly SyntaxRule[] = [
  {
    name: 'domain-reads-no-clock',
    comment:
      'Time is an argument or comes from the Clock port: a decision about time must be testable at any time.',
    covers: inDomain,
    isBrokenBy: (node) => isGlobal(node, 'performance') || (isGlobal(node, 'Date') && !isPureUseOfDate(node)),
  },
  {
    name: 'domain-draws-no-randomness',
    comment: 'The same input gives the same result. Unique values and hashes come from a port.',
    covers: inDomain,
    isBrokenBy: (node) =>
      isGlobal(node, 'crypto') || (isGlobal(node, 'Math') && (memberOf(node) ?? 'random') === 'random'),
  },
  {
    name: 'domain-reads-no-environment',
    comment:
      'Settings of operators reach the domain as constructor arguments, which are checked once, at the start.',
    covers: inDomain,
    isBrokenBy: (node) => isGlobal(node, 'process', 'globalThis', 'global') || ts.isMetaProperty(node),
  },
  {
    name: 'domain-sets-no-timer',
    comment:
      'The program decides when something happens: the domain contains single steps, and the loop is outside.',
    covers: inDomain,
    isBrokenBy: (node) => isGlobal(node, 'setTimeout', 'setInterval', 'setImmediate'),
  },
  {
    name: 'domain-does-no-io',
    comment:
      'Logging goes through the Log port, and everything else that leaves the process through its own port.',
    covers: inDomain,
    isBrokenBy: (node) => isGlobal(node, 'console', 'fetch'),
  },
  {
    name: 'domain-imports-nothing-at-run-time',
    comment: 'A module named at run time escapes the rules on imports.',
    covers: inDomain,
    isBrokenBy: (node) => node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent),
  },
  {
    name: 'domain-has-no-decorators',
    comment:
      'A decorator puts a framework into the rules of the domain. Composition wires plain constructors.',
    covers: inDomain,
    isBrokenBy: ts.isDecorator,
  },
  {
    name: 'only-bin-reads-process-env',
    comment:
      'A variable that is read deep inside the code is neither validated nor documented. Pass it as an argument.',
    covers: (file) => !inDomain(file) && !file.startsWith('src/bin/'),
    isBrokenBy: (node) => isEnvOfProcess(node),
  },
  {
    name: 'only-webhooks-send-http-requests',
    comment:
      'A service that sends no HTTP requests cannot be made to fetch an address of an attacker. Webhooks go to addresses that the operator has written, and follow no redirect.',
    covers: (file) => !inDomain(file) && !file.startsWith('src/adapters/webhooks/'),
    isBrokenBy: (node) => isGlobal(node, 'fetch') || isHttpClient(node),
  },
];

/**
 * Rule 6: what must not be used in the domain, or outside of the entry points. The syntax tree is checked, so
 * comments do not count.
 */
export const purity: Check = {
  rules: syntaxRules,

  async findBreaches(project) {
    return sourceFiles(project, 'src').flatMap((file) => {
      const nodes = [...descendants(parse(project, file))];
      return syntaxRules
        .filter((rule) => rule.covers(file))
        .flatMap((rule) => nodes.filter((node) => rule.isBrokenBy(node)).map((node) => breach(rule, node)));
    });
  },
};

function breach(rule: Rule, node: ts.Node): Breach {
  const [firstLine = ''] = node.parent.getText().split('\n');
  return { rule: rule.name, place: placeOf(node), detail: firstLine };
}

/**
 * Whether an identifier reads this global. A property or type with that name does not count, nor does one that the
 * file declares.
 */
function isGlobal(node: ts.Node, ...names: string[]): boolean {
  if (!ts.isIdentifier(node) || !names.includes(node.text)) return false;
  const { parent } = node;
  if (isDeclaredName(node)) return ts.isShorthandPropertyAssignment(parent);
  if (ts.isTypeNode(parent) && !ts.isExpressionWithTypeArguments(parent)) return false;
  if (ts.isQualifiedName(parent)) return false;
  return !declaredNames(node.getSourceFile()).has(node.text);
}

/**
 * Whether the node names a declaration, a member, or one side of `{ a: b }`: the syntax tree has it as a (property)
 * name.
 */
function isDeclaredName(node: ts.Node): boolean {
  const { name, propertyName } = node.parent as { name?: ts.Node; propertyName?: ts.Node };
  return name === node || propertyName === node;
}

const namesByFile = new WeakMap<ts.SourceFile, Set<string>>();

function declaredNames(source: ts.SourceFile): Set<string> {
  let names = namesByFile.get(source);
  if (!names) {
    names = new Set();
    for (const node of descendants(source)) {
      if (ts.isIdentifier(node) && isDeclaredName(node) && declaresValue(node.parent)) names.add(node.text);
    }
    namesByFile.set(source, names);
  }
  return names;
}

function declaresValue(node: ts.Node): boolean {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isImportClause(node) ||
    ts.isImportSpecifier(node)
  );
}

/**
 * `new Date(something)`, `Date.UTC`, `Date.parse` and `instanceof Date` do not read the clock; everything else could.
 */
function isPureUseOfDate(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0;
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  return ['UTC', 'parse'].includes(memberOf(node) ?? '');
}

/** `random` for the node `Math` in `Math.random` or `Math['random']`. */
function memberOf({ parent }: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text;
  if (ts.isElementAccessExpression(parent) && ts.isStringLiteral(parent.argumentExpression)) {
    return parent.argumentExpression.text;
  }
  return undefined;
}

/**
 * `process.env`, `process['env']`, `globalThis.process.env`, `const { env } = process` and `import { env } from
 * 'node:process'`.
 */
function isEnvOfProcess(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return /(^|\.)process$/.test(node.expression.getText()) && memberOf(node.expression) === 'env';
  }
  if (!ts.isBindingElement(node) && !ts.isImportSpecifier(node)) return false;
  if ((node.propertyName ?? node.name).getText() !== 'env') return false;
  const origin = ts.isBindingElement(node)
    ? (node.parent.parent as ts.VariableDeclaration).initializer
    : node.parent.parent.parent.moduleSpecifier;
  return /(^|\W)process$/.test(origin?.getText().replace(/['"]$/, '') ?? '');
}

/** `http.request`, `https.get` and `import { request } from 'node:http'`. */
function isHttpClient(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return /^https?$/.test(node.expression.getText()) && /^(get|request)$/.test(node.name.text);
  }
  if (!ts.isImportSpecifier(node)) return false;
  const from = node.parent.parent.parent.moduleSpecifier.getText();
  return /^.(node:)?https?.$/.test(from) && /^(get|request)$/.test((node.propertyName ?? node.name).text);
}
