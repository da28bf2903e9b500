import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from '../settings/read-settings.js';
import { type NamedExtension, reasonsOf, requireMembers } from './extend.js';
import type { Extension } from './extension.js';

const MEMBERS = ['name', 'api', 'worker'];

/**
 * Those that were passed to a program, and those of the modules of `EXTENSIONS`, relative to
 * `folder`. One without a name gets its position or its module as its name. Throws all errors.
 */
export async function loadExtensions(
  given: readonly Extension[],
  modules: readonly string[],
  folder: string,
): Promise<readonly NamedExtension[]> {
  const problems: string[] = [];
  const extensions: NamedExtension[] = [];
  const add = async (name: string, failure: string, load: () => Promise<Extension>) => {
    try {
      extensions.push(withItsName(checked(await load()), name));
    } catch (error) {
      problems.push(...reasonsOf(error).map((reason) => `${failure}: ${reason}`));
    }
  };
  for (const [index, extension] of given.entries())
    await add(`#${index + 1}`, `extension #${index + 1}`, async () => extension);
  for (const module of modules)
    await add(module, `EXTENSIONS ${module} cannot be loaded`, () => extensionIn(module, folder));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return extensions;
}

async function extensionIn(module: string, folder: string): Promise<Extension> {
  const loaded: object = await import(addressOf(module, folder));
  const exported: unknown = 'default' in loaded ? loaded.default : undefined;
  if (typeof exported !== 'object' || exported === null)
    throw new Error('its default export is not an object: `export default { api(bind) { … } }`');
  // TypeScript compiles a default export to CommonJS like this.
  const isCompiled = '__esModule' in exported && 'default' in exported;
  return isCompiled ? Object(exported.default) : exported;
}

function addressOf(module: string, folder: string): string {
  if (module.startsWith('file:')) return module;
  if (isAbsolute(module)) return pathToFileURL(module).href;
  if (/^\.\.?\//.test(module)) return pathToFileURL(join(folder, module)).href;
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(module)).href;
  } catch {
    // A package that only supports `import`. It is found if it is installed beside this one.
    return module;
  }
}

function checked(extension: Extension): Extension {
  requireMembers(extension, MEMBERS, 'member');
  if (!('api' in extension || 'worker' in extension))
    throw new Error('it has neither api nor worker, so it does nothing');
  return extension;
}

/** Its functions may be methods that use `this`. */
function withItsName(extension: Extension, position: string): NamedExtension {
  const { name = position, api, worker } = extension;
  return {
    name,
    ...(api && { api: api.bind(extension) }),
    ...(worker && { worker: worker.bind(extension) }),
  };
}
