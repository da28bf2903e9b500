import {
  type ApiConfiguration,
  apiConfiguration,
  extensionModules,
  type Operated,
} from '../configuration.js';
import { ConfigurationError, type Environment } from '../read-settings.js';
import { type ExtendedContainer, extendedApi } from './extend.js';
import { loadExtensions } from './load-extensions.js';
import { ALL_REPLACED, type Replacements } from './ports-of-programs.js';

export interface Configured<Settings> {
  readonly settings: Settings;
  readonly extended: ExtendedContainer;
}

/** What extensions bind, and the settings that are left to need; or, in one go, all that is wrong with either. */
export async function configured<Settings>(
  extend: () => Promise<ExtendedContainer>,
  readSettings: (replaced: Replacements) => Settings,
): Promise<Configured<Settings>> {
  const problems: string[] = [];
  const note = (error: unknown): null => {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    return null;
  };
  const extended = await extend().catch(note);
  let settings: Settings | null = null;
  try {
    settings = readSettings(extended?.replaced ?? ALL_REPLACED);
  } catch (error) {
    note(error);
  }
  if (extended === null || settings === null) throw new ConfigurationError(problems);
  return { settings, extended };
}

export function configuredApi(
  environment: Environment,
  folder: string,
): Promise<Configured<ApiConfiguration & Operated>> {
  const extend = async () =>
    extendedApi(await loadExtensions(extensionModules(environment), folder), environment);
  return configured(extend, (replaced) => apiConfiguration(environment, replaced));
}
