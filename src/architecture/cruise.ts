import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import type { Rule } from './rules.js';

/** How dependency-cruiser has to look at sources, for the rules to see all imports. */
export const CRUISE_OPTIONS: ICruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  // Sees `import type` too: a layer can be broken by a type alone.
  tsPreCompilationDeps: true,
  // As node resolves an import; without it, packages that only have "exports" are not found.
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'require', 'node', 'default', 'types'],
  },
};

/** All modules of the sources of this project, and who breaks which rule. */
export async function cruiseSources(
  project: string,
  sources: string,
  forbidden: readonly Rule[],
): Promise<ICruiseResult> {
  const { output } = await cruise([sources], {
    ...CRUISE_OPTIONS,
    baseDir: project,
    validate: true,
    ruleSet: { forbidden: [...forbidden] },
  });
  if (typeof output === 'string') throw new Error(output);
  return output;
}
