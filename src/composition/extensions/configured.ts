import {
  type ApiConfiguration,
  apiConfiguration,
  type EmbeddedConfiguration,
  embeddedConfiguration,
  extensionModules,
  type Operated,
  type SyncConfiguration,
  syncConfiguration,
} from '../configuration.js';
import {
  type DoctorConfiguration,
  doctorConfiguration,
  examinesWorker,
  type MigrateConfiguration,
  migrateConfiguration,
} from '../job-configuration.js';
import { ConfigurationError, type Environment } from '../read-settings.js';
import { type ExtendedContainer, ExtendedWorker, extendedApi, type NamedExtension } from './extend.js';
import type { Extension } from './extension.js';
import { loadExtensions, namedExtensions } from './load-extensions.js';
import { ALL_REPLACED, nameOfPort, type Replacements, SESSION_PORTS } from './ports-of-programs.js';

export interface Configured<Settings, Extended> {
  readonly settings: Settings;
  readonly extended: Extended;
}

/** Returns what extensions bind and the settings that are still needed, or throws all configuration errors of both at once. */
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

/** Extensions that were passed in, and those that the variable names. */
async function extensionsIn(
  environment: Environment,
  folder: string,
  given: readonly Extension[] = [],
): Promise<readonly NamedExtension[]> {
  const loaded = await loadExtensions(extensionModules(environment), folder);
  return [...namedExtensions(given), ...loaded];
}

export function configuredApi(
  environment: Environment,
  folder: string,
  given: readonly Extension[] = [],
): Promise<Configured<ApiConfiguration & Operated, ExtendedContainer>> {
  const extend = async () => extendedApi(await extensionsIn(environment, folder, given), environment);
  return configured(extend, (replaced) => apiConfiguration(environment, replaced));
}

export function configuredWorker(
  environment: Environment,
  folder: string,
  given: readonly Extension[] = [],
): Promise<Configured<SyncConfiguration & Operated, ExtendedWorker>> {
  const extend = async () => new ExtendedWorker(await extensionsIn(environment, folder, given), environment);
  return configured(extend, (replaced) => syncConfiguration(environment, replaced));
}

/** The worker writes the migrated tables, so the extensions of the worker decide what is migrated. */
export function configuredMigration(
  environment: Environment,
  folder: string,
): Promise<Configured<MigrateConfiguration, ExtendedWorker>> {
  const extend = async () => new ExtendedWorker(await extensionsIn(environment, folder), environment);
  return configured(extend, (replaced) => migrateConfiguration(environment, replaced));
}

export function configuredDoctor(
  environment: Environment,
  folder: string,
): Promise<Configured<DoctorConfiguration, ExtendedContainer | ExtendedWorker>> {
  const extend = async () => {
    const modules = await extensionsIn(environment, folder);
    return examinesWorker(environment)
      ? new ExtendedWorker(modules, environment)
      : extendedApi(modules, environment);
  };
  return configured(extend, (replaced) => doctorConfiguration(environment, replaced));
}

/** API and worker in one process. The worker runs twice, the first time until everything is filled. */
export interface ExtendedPrograms {
  readonly api: ExtendedContainer;
  readonly firstWorker: ExtendedWorker;
  readonly worker: ExtendedWorker;
  readonly replaced: Replacements;
}

export function extendedPrograms(
  extensions: readonly NamedExtension[],
  environment: Environment,
): ExtendedPrograms {
  const api = extendedApi(extensions, environment);
  const [firstWorker, worker] = [
    new ExtendedWorker(extensions, environment),
    new ExtendedWorker(extensions, environment),
  ];
  const problems = [SESSION_PORTS.changeFeed, SESSION_PORTS.contentSource].flatMap((token) => {
    const extension = worker.replaced.get(token);
    if (extension === undefined) return [];
    return [
      `extension ${extension} replaces ${nameOfPort(token)}, but \`npm start\` has its own dashboard: run \`api\` and \`sync\` instead`,
    ];
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    api,
    firstWorker,
    worker,
    replaced: new Map([...api.replaced, ...worker.program.replaced, ...worker.replaced]),
  };
}

export function configuredEmbedded(
  environment: Environment,
  folder: string,
): Promise<Configured<EmbeddedConfiguration & Operated, ExtendedPrograms>> {
  const extend = async () => extendedPrograms(await extensionsIn(environment, folder), environment);
  return configured(extend, () => embeddedConfiguration(environment));
}
