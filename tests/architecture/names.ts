import ts from 'typescript';
import type { Breach, Check } from './check.js';
import { descendants, parse, placeOf, sourceFiles } from './sources.js';

/** They say in which state a thing is, or where it stands, and not which thing it is. */
const STATES = /^(?:found|known|own|shown|named|present|described|each|others|at|place)$/;

export const names: Check = {
  rules: [
    {
      name: 'values-have-the-names-of-things',
      comment: 'A reader has to know which thing a value is, and what a function does.',
    },
  ],

  async findBreaches(project) {
    return sourceFiles(project, 'src').flatMap((file) => namesOfStates(parse(project, file)));
  },
};

function namesOfStates(source: ts.SourceFile): readonly Breach[] {
  return [...descendants(source)]
    .flatMap((node) => declaredName(node) ?? [])
    .filter((name) => STATES.test(name.text.replace('#', '')))
    .map((name) => ({ rule: 'values-have-the-names-of-things', place: placeOf(name), detail: name.text }));
}

function declaredName(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | null {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassElement(node) ||
    ts.isTypeElement(node) ||
    ts.isPropertyAssignment(node);
  const name = isDeclaration ? node.name : undefined;
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name : null;
}
