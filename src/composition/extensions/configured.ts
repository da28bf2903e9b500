import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  apiConfiguration,
  doctorConfiguration,
  embeddedConfiguration,
  syncConfiguration,
} from '../settings/configuration.js';
import {
  ConfigurationError,
  type Environment,
  type Read,
  readSettings,
  valid,
} from '../settings/read-settings.js';
import { SETTINGS } from '../settings/settings.js';
import { extendedApi, extendedWorker, type NamedExtension, reasonsOf } from './extend.js';
import type { Extension } from './extension.js';

type Given = readonly Extension[];

export function configuredApi(environment: Environment, folder: string, given: Given = []) {
  return configured(environment, folder, given, apiConfiguration(environment), extendedApi);
}

export function configuredWorker(environment: Environment, folder: string, given: Given = []) {
  return configured(environment, folder, given, syncConfiguration(environment), extendedWorker);
}

export async function configuredDoctor(environment: Environment, folder: string) {
  const read = doctorConfiguration(environment);
  const extend = read.settings.writeDatabaseUrl === null ? extendedApi : extendedWorker;
  const { extended } = await configured(environment, folder, [], read, extend);
  return { settings: valid(read), extended };
}

export async function configuredEmbedded(environment: Environment, folder: string) {
  const read = embeddedConfiguration(environment);
  const { extended } = await configured(environment, folder, [], read, extendedPrograms);
  return { settings: valid(read), extended };
}

/**
 * Throws a ConfigurationError with all that is wrong if that includes extensions. Otherwise the
 * program throws it, with what its ports lack.
 */
async function configured<Settings, Programs>(
  environment: Environment,
  folder: string,
  given: Given,
  { settings, problems }: Read<Settings>,
  extend: (extensions: readonly NamedExtension[], environment: Environment) => Programs,
) {
  try {
    const extensions = await loadExtensions(environment, folder, given);
    return { settings, extended: { ...extend(extensions, environment), wrongSettings: problems } };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError([...problems, ...error.problems]);
  }
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
  const { settings } = readSettings({ extensions: SETTINGS.extensions }, environment);
  for (const module of settings.extensions) {
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
