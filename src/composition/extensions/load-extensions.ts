import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inTime } from '../in-time.js';
import { ConfigurationError } from '../read-settings.js';
import { type NamedExtension, reasonsOf } from './extend.js';
import type { Extension } from './extension.js';

/** For a module that waits at its top for what does not come. */
const LOAD_WITHIN_MS = 10_000;
const PARTS: Readonly<Record<keyof Extension, 'function' | 'string'>> = {
  name: 'string',
  api: 'function',
  worker: 'function',
  session: 'function',
};

/** The modules that `EXTENSIONS` names; paths start from `folder`. Throws a ConfigurationError that tells all that is wrong. */
export async function loadExtensions(
  modules: readonly string[],
  folder: string,
  withinMs = LOAD_WITHIN_MS,
): Promise<readonly NamedExtension[]> {
  const problems: string[] = [];
  const extensions: NamedExtension[] = [];
  for (const module of modules) {
    try {
      const loaded: object = await inTime(withinMs, import(addressOf(module, folder)));
      extensions.push({ name: module, ...extensionIn(loaded) });
    } catch (error) {
      for (const reason of reasonsOf(error))
        problems.push(`EXTENSIONS ${module} cannot be loaded: ${reason}`);
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return extensions;
}

/** Those that a program is handed; one without a name is named after its place. */
export function namedExtensions(extensions: readonly Extension[]): readonly NamedExtension[] {
  const problems: string[] = [];
  const named = extensions.map((extension, at) => {
    const place = `#${at + 1}`;
    try {
      return { name: place, ...checked(extension) };
    } catch (error) {
      for (const reason of reasonsOf(error)) problems.push(`extension ${place}: ${reason}`);
      return { name: place };
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return named;
}

function addressOf(module: string, folder: string): string {
  if (module.startsWith('file:')) return module;
  if (isAbsolute(module)) return pathToFileURL(module).href;
  if (/^\.\.?\//.test(module)) return pathToFileURL(join(folder, module)).href;
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(module)).href;
  } catch {
    // A package that is for `import` alone: it is found if it is installed beside this one.
    return module;
  }
}

function extensionIn(module: object): Extension {
  const extension: unknown = 'default' in module ? module.default : undefined;
  if (typeof extension !== 'object' || extension === null) {
    throw new Error(
      'it has no object as its default export: `export default { api({ bind, tokens }) { … } }`',
    );
  }
  return checked(extension);
}

function checked(extension: object): Extension {
  for (const [part, value] of Object.entries(extension)) {
    const expected = PARTS[part as keyof Extension];
    if (expected === undefined) {
      throw new Error(`there is no \`${part}\` in an extension: there are ${Object.keys(PARTS).join(', ')}`);
    }
    if (typeof value !== expected) throw new Error(`\`${part}\` has to be a ${expected}`);
  }
  return extension;
}
