import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { ConfigurationError } from '../settings/read-settings.js';
import type { NamedExtension } from './extend.js';
import { reasonsOf, requireMembers } from './extend.js';
import type { Extension } from './extension.js';

/** For a module whose top-level `await` never ends. */
const LOAD_TIMEOUT_MS = 10_000;
const MEMBERS = { name: 'string', api: 'function', worker: 'function' } as const;

/** Loads the modules of `EXTENSIONS`, relative to `folder`. Throws all errors. */
export async function loadExtensions(
  modules: readonly string[],
  folder: string,
  withinMs = LOAD_TIMEOUT_MS,
): Promise<readonly NamedExtension[]> {
  const problems: string[] = [];
  const extensions: NamedExtension[] = [];
  for (const module of modules) {
    try {
      const loaded: object = await withTimeLimit(withinMs, import(addressOf(module, folder)));
      extensions.push(withItsName(extensionIn(loaded), module));
    } catch (error) {
      for (const reason of reasonsOf(reasonNotFound(error, module, folder)))
        problems.push(`EXTENSIONS ${module} cannot be loaded: ${reason}`);
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return extensions;
}

/** Extensions that were passed to a program. One without a name gets its position as its name. */
export function namedExtensions(extensions: readonly Extension[]): readonly NamedExtension[] {
  const problems: string[] = [];
  const extensionsWithNames = extensions.map((extension, index) => {
    const position = `#${index + 1}`;
    try {
      return withItsName(checked(extension), position);
    } catch (error) {
      for (const reason of reasonsOf(error)) problems.push(`extension ${position}: ${reason}`);
      return { name: position };
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return extensionsWithNames;
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

function reasonNotFound(error: unknown, module: string, folder: string): unknown {
  const isFile = !isAbsolute(module) && !/^(\.|file:)/.test(module) && existsSync(join(folder, module));
  if (!isFile || !(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
    return error;
  return new Error(`there is no such package, but a file of this name: write ./${module}`);
}

function extensionIn(module: object): Extension {
  const exported: unknown = 'default' in module ? module.default : undefined;
  if (typeof exported !== 'object' || exported === null) {
    throw new Error('its default export is not an object: `export default { api(bind) { … } }`');
  }
  // TypeScript compiles a default export to CommonJS like this.
  const isCompiled = '__esModule' in exported && 'default' in exported;
  return checked(isCompiled ? Object(exported.default) : exported);
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
