import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  apiConfiguration,
  doctorConfiguration,
  embeddedConfiguration,
  syncConfiguration,
} from '../settings/configuration.js';
import { ConfigurationError, type Environment, readSettings } from '../settings/read-settings.js';
import { extensions } from '../settings/settings.js';
import { type Extended, extendedApi, extendedWorker, type NamedExtension, reasonsOf } from './extend.js';
import type { Extension } from './extension.js';

type Given = readonly Extension[];

export function configuredApi(environment: Environment, folder: string, given: Given = []) {
  const read = () => apiConfiguration(environment, given.length > 0);
  return configured(environment, folder, given, read, extendedApi);
}

export function configuredWorker(environment: Environment, folder: string, given: Given = []) {
  const read = () => syncConfiguration(environment, given.length > 0);
  return configured(environment, folder, given, read, extendedWorker);
}

export function configuredDoctor(environment: Environment, folder: string) {
  const read = () => doctorConfiguration(environment);
  return configured(environment, folder, [], read, (extensions, _, { writeDatabaseUrl }): Extended => {
    const extend = writeDatabaseUrl === null ? extendedApi : extendedWorker;
    return extend(extensions, environment);
  });
}

export function configuredEmbedded(environment: Environment, folder: string) {
  return configured(environment, folder, [], () => embeddedConfiguration(environment), extendedPrograms);
}

/** Throws a ConfigurationError with all that is wrong in the settings and in the extensions. */
async function configured<Settings, Programs>(
  environment: Environment,
  folder: string,
  given: Given,
  read: () => Settings,
  extend: (extensions: readonly NamedExtension[], environment: Environment, settings: Settings) => Programs,
) {
  const both = [(async () => read())(), loadExtensions(environment, folder, given)] as const;
  const problems = (await Promise.allSettled(both)).flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (!(result.reason instanceof ConfigurationError)) throw result.reason;
    return result.reason.problems;
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  const [settings, extensions] = await Promise.all(both);
  return { settings, extended: extend(extensions, environment, settings) };
}

/** API and worker in one process. The worker runs once before, until all is filled. */
export function extendedPrograms(extensions: readonly NamedExtension[], environment: Environment) {
  return {
    api: extendedApi(extensions, environment),
    firstWorker: extendedWorker(extensions, environment),
    worker: extendedWorker(extensions, environment),
  };
}

/**
 * Those that were passed to a program, and those of the modules of `EXTENSIONS`, relative to
 * `folder`. One without a name gets its position or its module as its name. Throws all errors.
 */
async function loadExtensions(environment: Environment, folder: string, given: Given) {
  const loaded: NamedExtension[] = given.map((extension, index) => withName(extension, `#${index + 1}`));
  const problems: string[] = [];
  for (const module of readSettings({ extensions }, environment).extensions) {
    try {
      loaded.push(withName(await extensionIn(module, folder), module));
    } catch (error) {
      problems.push(...reasonsOf(error).map((reason) => `EXTENSIONS ${module} cannot be loaded: ${reason}`));
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return loaded;
}

async function extensionIn(module: string, folder: string): Promise<Extension> {
  const loaded: object = await import(addressOf(module, folder));
  const exported: unknown = 'default' in loaded ? loaded.default : undefined;
  if (typeof exported !== 'object' || exported === null)
    throw new Error('its default export is not an object: `export default { api(bind) { … } }`');
  // TypeScript compiles a default export to CommonJS like this.
  const isCompiled = '__esModule' in exported && 'default' in exported;
  const extension: Extension = isCompiled ? Object(exported.default) : exported;
  if (!('api' in extension || 'worker' in extension))
    throw new Error('it has neither api nor worker, so it does nothing');
  return extension;
}

function addressOf(module: string, folder: string): string {
  if (isAbsolute(module) || /^\.\.?\//.test(module)) return pathToFileURL(resolve(folder, module)).href;
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(module)).href;
  } catch {
    // A URL, or a package that only supports `import`: it is found if it is installed beside this.
    return module;
  }
}

/** Its functions may be methods that use `this`. */
function withName(extension: Extension, position: string): NamedExtension {
  return {
    name: extension.name ?? position,
    api: (bind, environment) => extension.api?.(bind, environment),
    worker: (bind, environment) => extension.worker?.(bind, environment),
  };
}
