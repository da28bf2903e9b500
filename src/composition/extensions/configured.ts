import {
  type ApiConfiguration,
  apiConfiguration,
  extensionModules,
  type Operated,
  type SyncConfiguration,
  syncConfiguration,
} from '../configuration.js';
import { ConfigurationError, type Environment } from '../read-settings.js';
import { type ExtendedContainer, ExtendedWorker, extendedApi } from './extend.js';
import { loadExtensions } from './load-extensions.js';
import { ALL_REPLACED, type Replacements } from './ports-of-programs.js';

export interface Configured<Settings, Extended> {
  readonly settings: Settings;
  readonly extended: Extended;
}

/** What extensions bind, and the settings that are left to need; or, in one go, all that is wrong with either. */
async function configured<Settings, Extended extends { readonly replaced: Replacements }>(
  extend: () => Promise<Extended>,
  readSettings: (replaced: Replacements) => Settings,
): Promise<Configured<Settings, Extended>> {
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
): Promise<Configured<ApiConfiguration & Operated, ExtendedContainer>> {
  const extend = async () =>
    extendedApi(await loadExtensions(extensionModules(environment), folder), environment);
  return configured(extend, (replaced) => apiConfiguration(environment, replaced));
}

export function configuredWorker(
  environment: Environment,
  folder: string,
): Promise<Configured<SyncConfiguration & Operated, ExtendedWorker>> {
  const extend = async () =>
    new ExtendedWorker(await loadExtensions(extensionModules(environment), folder), environment);
  return configured(extend, (replaced) => syncConfiguration(environment, replaced));
}
