import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import type { Rule } from './rules.js';

/** Options with which dependency-cruiser sees all imports. */
export const CRUISE_OPTIONS: ICruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  // Includes `import type`, because a type import alone can violate a layer.
  tsPreCompilationDeps: true,
  // Resolves imports as Node.js does. Otherwise packages that only have "exports" are not found.
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'require', 'node', 'default', 'types'],
  },
};

/** All source modules of this project, and the violations of the rules. */
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
