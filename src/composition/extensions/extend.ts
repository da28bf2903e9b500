import type { Container, ServiceIdentifier } from 'inversify';
import { ConfigurationError, type Environment, MissingSetting } from '../settings/read-settings.js';
import { API_PORTS } from '../tokens.js';
import type { Additions, ApiAdditions, Extension, OrNothing, WorkerAdditions } from './extension.js';
import { LASTING_PORTS, nameOfPort, WORKER_PORTS } from './ports.js';

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

const ADDITIONS = { healthChecks: 'array', start: 'function', stop: 'function' } as const;
const API = { ports: API_PORTS, additions: { ...ADDITIONS, middleware: 'array' } } as const;
const WORKER = { ports: WORKER_PORTS, additions: { ...ADDITIONS, isOutage: 'function' } } as const;

export function extendedApi(
  extensions: readonly NamedExtension[],
  environment: Environment,
): Extended<ApiAdditions> {
  return extend(extensions, API, ({ api }, bind: AnyBind) => api?.(bind, environment));
}

export function extendedWorker(
  extensions: readonly NamedExtension[],
  environment: Environment,
): Extended<WorkerAdditions> {
  return extend(extensions, WORKER, ({ worker }, bind: AnyBind) => worker?.(bind, environment));
}

/** Throws a ConfigurationError with the errors of all extensions. */
function extend<Added extends Additions>(
  extensions: readonly NamedExtension[],
  program: typeof API | typeof WORKER,
  apply: (extension: Extension, bind: AnyBind) => OrNothing<Added>,
): Extended<Added> {
  const ports: Readonly<Record<string, ServiceIdentifier>> = program.ports;
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
      if (typeof make !== 'function') throw new Error(`binds ${nameOfPort(token)} to no function`);
      const other = replaced.get(token);
      if (other !== undefined)
        throw new Error(`binds ${nameOfPort(token)}, which ${other} has already bound`);
      if (typeof port === 'string') replaced.set(token, name);
      bindings.push({
        token,
        close,
        make: (get) => synchronous(make((wanted) => get(tokenOf(wanted) ?? wanted))),
      });
    };
    try {
      const additions = synchronous(apply(extension, bind)) ?? ({} as Added);
      requireMembers(additions, program.additions, 'addition');
      return { name, additions };
    } catch (error) {
      for (const reason of reasonsOf(error)) problems.push(`extension ${name}: ${reason}`);
      return { name, additions: {} as Added };
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { extensions: extended, replaced, bindings };
}

function synchronous<Made>(made: Made): Made {
  if (!(made instanceof Promise)) return made;
  // It may reject later, when no one awaits it.
  made.catch(() => {});
  throw new Error('it is asynchronous: create it synchronously, and do in `start` what takes time');
}

/** Replaces the defaults in a container, before anything is created. */
export function bindExtended(container: Container, { bindings }: Extended, isIn = (_: symbol) => true): void {
  for (const { token, make, close } of bindings.filter(({ token }) => isIn(token))) {
    if (container.isCurrentBound(token)) container.unbind(token);
    container
      .bind(token)
      .toDynamicValue(({ get }) => make(get))
      .onDeactivation(close);
  }
}

export function isLasting(token: symbol): boolean {
  return Object.values<unknown>(LASTING_PORTS).includes(token);
}

/** Creates the ports, or throws a ConfigurationError with everything that is missing for them. */
export function createPorts(
  container: Container,
  ports: readonly ServiceIdentifier[],
  replaced: Replaced,
): void {
  const problems: string[] = [];
  const users = new Map<string, string[]>();
  const create = (token: ServiceIdentifier) => {
    try {
      container.get(token);
    } catch (error) {
      const extension = replaced.get(token);
      if (extension !== undefined) {
        const what = `extension ${extension} cannot create ${nameOfPort(token)}`;
        problems.push(...reasonsOf(error).map((reason) => `${what}: ${reason}`));
      } else if (error instanceof MissingSetting) {
        users.set(error.variable, [...(users.get(error.variable) ?? []), nameOfPort(token)]);
      } else throw error;
    }
  };
  try {
    // Replaced ones first, because defaults depend on them.
    ports.filter((token) => replaced.has(token)).forEach(create);
    if (problems.length === 0) ports.filter((token) => !replaced.has(token)).forEach(create);
    for (const [variable, names] of users) problems.push(missingVariable(variable, names));
    if (problems.length > 0) throw new ConfigurationError(problems);
  } catch (error) {
    // What was created meanwhile is not needed any more.
    container.unbindAllAsync().catch(() => {});
    throw error;
  }
}

/** The problem that a variable is not set which ports with these names use. */
export function missingVariable(variable: string, names: readonly string[]): string {
  const users =
    names.length === 1 ? `${names[0]} uses` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} use`;
  return `${variable} is missing: ${users} it`;
}

/** By the names of the ports. */
export function namesOfReplaced(replaced: Replaced): Readonly<Record<string, string>> {
  return Object.fromEntries([...replaced].map(([token, extension]) => [nameOfPort(token), extension]));
}

/** The names of those ports that no extension replaces. */
export function namesOfDefaults(
  ports: Readonly<Record<string, ServiceIdentifier>>,
  replaced: Replaced,
): readonly string[] {
  return Object.values(ports)
    .filter((token) => !replaced.has(token))
    .map(nameOfPort);
}

type Types = Readonly<Record<string, 'function' | 'array' | 'string'>>;

/** JavaScript does not detect a misspelt name. `what` a member is called in errors. */
export function requireMembers(object: object, types: Types, what: string): void {
  // An instance of a class may have further properties of its own.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(object));
  const unknown = isPlain ? Object.keys(object).find((name) => !(name in types)) : undefined;
  if (unknown !== undefined)
    throw new Error(`unknown ${what} \`${unknown}\`; there are ${Object.keys(types).join(', ')}`);
  for (const [name, type] of Object.entries(types)) {
    const value: unknown = Reflect.get(object, name);
    if (value !== undefined && (type === 'array' ? !Array.isArray(value) : typeof value !== type))
      throw new Error(`\`${name}\` has to be ${type === 'array' ? 'an array' : `a ${type}`}`);
  }
}

/** One line each, without the details that the container appends for a binding. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasonsOf);
  const message = error instanceof Error ? error.message : String(error);
  return [message.split('\n')[0] ?? ''];
}
