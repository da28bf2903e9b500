import {
  apiConfiguration,
  doctorConfiguration,
  embeddedConfiguration,
  examinesWorker,
  extensionModules,
  syncConfiguration,
} from '../settings/configuration.js';
import { ConfigurationError, type Environment } from '../settings/read-settings.js';
import { type Extended, extendedApi, extendedWorker, type NamedExtension } from './extend.js';
import type { Extension } from './extension.js';
import { loadExtensions } from './load-extensions.js';

/** Reads settings and applies extensions, or throws all configuration errors of both at once. */
async function configured<Settings, Result>(
  environment: Environment,
  folder: string,
  given: readonly Extension[],
  read: (environment: Environment, mayReplace: boolean) => Settings,
  extend: (extensions: readonly NamedExtension[], environment: Environment) => Result,
): Promise<{ readonly settings: Settings; readonly extended: Result }> {
  const problems: string[] = [];
  const attempt = async <Value>(make: () => Promise<Value>): Promise<Value | null> => {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return null;
    }
  };
  const extensions = await attempt(() => loadExtensions(given, extensionModules(environment), folder));
  const extended = extensions && (await attempt(async () => extend(extensions, environment)));
  const mayReplace = extensions === null || extensions.length > 0;
  const settings = await attempt(async () => read(environment, mayReplace));
  if (extended === null || settings === null) throw new ConfigurationError(problems);
  return { settings, extended };
}

type Given = readonly Extension[];

export function configuredApi(environment: Environment, folder: string, given: Given = []) {
  return configured(environment, folder, given, apiConfiguration, extendedApi);
}

export function configuredWorker(environment: Environment, folder: string, given: Given = []) {
  return configured(environment, folder, given, syncConfiguration, extendedWorker);
}

export function configuredDoctor(environment: Environment, folder: string) {
  const extend = examinesWorker(environment) ? extendedWorker : extendedApi;
  return configured<ReturnType<typeof doctorConfiguration>, Extended>(
    environment,
    folder,
    [],
    doctorConfiguration,
    extend,
  );
}

export function configuredEmbedded(environment: Environment, folder: string) {
  return configured(environment, folder, [], embeddedConfiguration, extendedPrograms);
}

/** API and worker in one process. The worker runs once before, until all is filled. */
export type ExtendedPrograms = ReturnType<typeof extendedPrograms>;

export function extendedPrograms(extensions: readonly NamedExtension[], environment: Environment) {
  return {
    api: extendedApi(extensions, environment),
    firstWorker: extendedWorker(extensions, environment),
    worker: extendedWorker(extensions, environment),
  };
}
