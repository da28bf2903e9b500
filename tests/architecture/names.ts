import ts from 'typescript';
import type { Breach, Check } from './check.js';
import { descendants, parse, placeOf, sourceFiles } from './sources.js';

/** They say in which state a thing is, or where it stands, and not which thing it is. */
const STATES = /^(?:found|known|own|shown|named|present|described|each|others|at|place)$/;

export const names: Check = {
  rules: [
    {
      name: 'values-have-the-names-of-things',
      comment: 'A reader has to know which thing a constant, a variable or a parameter is.',
    },
  ],

  async findBreaches(project) {
    return sourceFiles(project, 'src').flatMap((file) => namesOfStates(parse(project, file)));
  },
};

function namesOfStates(source: ts.SourceFile): readonly Breach[] {
  return [...descendants(source)]
    .filter((node) => ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node))
    .filter(({ name }) => ts.isIdentifier(name) && STATES.test(name.text))
    .map(({ name }) => ({
      rule: 'values-have-the-names-of-things',
      place: placeOf(name),
      detail: name.getText(),
    }));
}
