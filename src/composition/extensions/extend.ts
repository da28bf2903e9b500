import type { Container, ServiceIdentifier } from 'inversify';
import { ConfigurationError, type Environment } from '../settings/read-settings.js';
import { API_PORTS, LASTING_PORTS, nameOfPort, SESSION_PORTS } from '../tokens.js';
import type { Additions, ApiAdditions, Extension, OrNothing, WorkerAdditions } from './extension.js';

export interface NamedExtension extends Extension {
  readonly name: string;
}

/** The names of extensions, by the tokens of the ports that they replace. */
export type Replaced = ReadonlyMap<ServiceIdentifier, string>;

/** What extensions replace in one program, and add to it. */
export interface Extended<Added extends Additions = Additions> {
  readonly extensions: readonly { readonly name: string; readonly additions: Added }[];
  readonly replaced: Replaced;
  readonly bindings: readonly ExtensionBinding[];
  /** Reported with what its ports lack. */
  readonly wrongSettings: readonly string[];
}

interface ExtensionBinding {
  readonly token: symbol;
  readonly make: (get: (token: ServiceIdentifier) => unknown) => unknown;
  readonly close: (made: unknown) => Promise<void> | void;
}

type AnyBind = (
  port: string | symbol,
  make: (get: (port: string | symbol) => unknown) => unknown,
  close?: ExtensionBinding['close'],
) => void;

const ADDITIONS = ['healthChecks', 'start', 'stop'] as const;

export function extendedApi(
  extensions: readonly NamedExtension[],
  environment: Environment,
): Extended<ApiAdditions> {
  const parts = [...ADDITIONS, 'middleware'] satisfies readonly (keyof ApiAdditions)[];
  return extend(extensions, { ...API_PORTS }, parts, ({ api }, bind: AnyBind) => api?.(bind, environment));
}

export function extendedWorker(
  extensions: readonly NamedExtension[],
  environment: Environment,
): Extended<WorkerAdditions> {
  const ports = { ...LASTING_PORTS, ...SESSION_PORTS };
  const parts = [...ADDITIONS, 'isOutage'] satisfies readonly (keyof WorkerAdditions)[];
  return extend(extensions, ports, parts, ({ worker }, bind: AnyBind) => worker?.(bind, environment));
}

/** Throws a ConfigurationError with the errors of all extensions. */
function extend<Added extends Additions>(
  extensions: readonly NamedExtension[],
  ports: Readonly<Record<string, ServiceIdentifier>>,
  parts: readonly string[],
  apply: (extension: Extension, bind: AnyBind) => OrNothing<Added>,
): Extended<Added> {
  const tokenOf = (port: string | symbol) => (typeof port === 'symbol' ? port : ports[port]);
  const replaced = new Map<ServiceIdentifier, string>();
  const bindings: ExtensionBinding[] = [];
  const problems: string[] = [];
  const extended = extensions.map((extension) => {
    const { name } = extension;
    const bind: AnyBind = (port, make, close = () => {}) => {
      const token = tokenOf(port);
      if (typeof token !== 'symbol')
        throw new Error(
          `binds ${String(port)}, which is no port; the ports are ${Object.keys(ports).join(', ')}`,
        );
      const other = replaced.get(token);
      if (other !== undefined)
        throw new Error(`binds ${nameOfPort(token)}, which ${other} has already bound`);
      if (typeof port === 'string') replaced.set(token, name);
      const create: ExtensionBinding['make'] = (get) => {
        try {
          return synchronous(make((wanted) => get(tokenOf(wanted) ?? wanted)));
        } catch (error) {
          if (error instanceof ConfigurationError) throw error;
          const what = `extension ${name} cannot create ${nameOfPort(token)}`;
          throw new ConfigurationError(reasonsOf(error).map((reason) => `${what}: ${reason}`));
        }
      };
      bindings.push({ token, make: create, close });
    };
    try {
      const additions = synchronous(apply(extension, bind)) ?? ({} as Added);
      const unknown = Object.keys(additions).find((part) => !parts.includes(part));
      if (unknown !== undefined)
        throw new Error(`adds ${unknown}, which is no part; the parts are ${parts.join(', ')}`);
      return { name, additions };
    } catch (error) {
      for (const reason of reasonsOf(error)) problems.push(`extension ${name}: ${reason}`);
      return { name, additions: {} as Added };
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { extensions: extended, replaced, bindings, wrongSettings: [] };
}

function synchronous<Made>(made: Made): Made {
  const { then }: { then?: unknown } = Object(made);
  if (typeof then !== 'function') return made;
  // It may reject later, when no one awaits it.
  Promise.resolve(made).catch(() => {});
  throw new Error('it is asynchronous: create it synchronously, and do in `start` what takes time');
}

/** Replaces the defaults in a container, before anything is created. */
export function bindExtended(container: Container, bindings: Extended['bindings']): void {
  for (const { token, make, close } of bindings) {
    if (container.isCurrentBound(token)) container.unbind(token);
    container
      .bind(token)
      .toDynamicValue(({ get }) => make(get))
      .onDeactivation(close);
  }
}

/** By the names of the ports. */
export function namesOfReplaced(replaced: Replaced): Readonly<Record<string, string>> {
  return Object.fromEntries([...replaced].map(([token, extension]) => [nameOfPort(token), extension]));
}

/** One line each, without the details that the container appends for a binding. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasonsOf);
  const message = error instanceof Error ? error.message : String(error);
  return [message.split('\n')[0] ?? ''];
}
