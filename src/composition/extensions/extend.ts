import { type Bind, Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { ConfigurationError, type Environment } from '../read-settings.js';
import type { ApiAdditions, Extended, Extension, SessionAdditions } from './extension.js';
import {
  API_PORTS,
  nameOfPort,
  type Replacements,
  SESSION_PORTS,
  WORKER_PORTS,
} from './ports-of-programs.js';

export interface NamedExtension extends Extension {
  readonly name: string;
}

/** A program's container with what extensions have bound; its defaults are still to be loaded. */
export interface ExtendedContainer {
  readonly container: Container;
  readonly replaced: Replacements;
  readonly extensions: readonly AppliedExtension[];
}

/** One extension, and what it does to the program. */
export interface AppliedExtension {
  readonly name: string;
  /** Each extension has tokens of its own for these. */
  readonly additions: AllAdditions;
}

type AllAdditions = ApiAdditions & SessionAdditions;

type Apply = (
  extension: Extension,
  handed: Omit<Extended<unknown>, 'tokens'>,
  additions: AllAdditions,
) => unknown;

export function extendedApi(
  extensions: readonly NamedExtension[],
  environment: Environment,
): ExtendedContainer {
  return extend(extensions, API_PORTS, environment, ({ api }, handed, additions) =>
    api?.({ ...handed, tokens: { ...API_PORTS, ...additions } }),
  );
}

/** The worker, and the session that begins it. */
export class ExtendedWorker {
  readonly program: ExtendedContainer;
  #next: ExtendedContainer | null;
  /** By the first session: all others are bound alike. */
  readonly replaced: Replacements;

  constructor(
    private readonly extensions: readonly NamedExtension[],
    private readonly environment: Environment,
  ) {
    this.program = extend(extensions, WORKER_PORTS, environment, ({ worker }, handed, additions) =>
      worker?.({ ...handed, tokens: { ...WORKER_PORTS, ...additions } }),
    );
    this.#next = this.#newSession();
    this.replaced = this.#next.replaced;
  }

  /** For one session, which closes it. */
  session(): ExtendedContainer {
    const session = this.#next ?? this.#newSession();
    this.#next = null;
    return session;
  }

  #newSession(): ExtendedContainer {
    const ofWorker = Object.values<ServiceIdentifier>(WORKER_PORTS);
    const apply: Apply = ({ session }, { bind, environment }, additions) =>
      session?.({
        bind: (token) => {
          if (ofWorker.includes(token))
            throw new Error(`binds ${nameOfPort(token)} for a session: bind it in \`worker\``);
          return bind(token);
        },
        environment,
        tokens: { ...SESSION_PORTS, ...WORKER_PORTS, ...additions },
      });
    return extend(this.extensions, SESSION_PORTS, this.environment, apply, this.program.container);
  }
}

/** Lets each extension bind what it has. Throws a ConfigurationError that tells all that is wrong. */
function extend(
  extensions: readonly NamedExtension[],
  ports: Readonly<Record<string, ServiceIdentifier>>,
  environment: Environment,
  apply: Apply,
  parent?: Container,
): ExtendedContainer {
  const container = new Container({ defaultScope: 'Singleton', parent });
  const replaced = new Map<ServiceIdentifier, string>();
  const problems: string[] = [];
  const applied = extensions.map((extension): AppliedExtension => {
    const { name } = extension;
    const bind: Bind = (token) => {
      if (!Object.values(ports).includes(token)) return container.bind(token);
      const other = replaced.get(token);
      if (other !== undefined)
        throw new Error(`binds ${nameOfPort(token)}, which ${other} has bound already`);
      replaced.set(token, name);
      return container.bind(token);
    };
    const additions = newAdditions();
    try {
      const answer = apply(extension, { bind, environment }, additions);
      if (answer instanceof Promise) {
        // It may fail later, when nobody listens.
        answer.catch(() => {});
        throw new Error('is asynchronous where it binds: leave what takes time to a `lifecycle`');
      }
    } catch (error) {
      for (const reason of reasonsOf(error)) problems.push(`extension ${name}: ${reason}`);
    }
    return { name, additions };
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { container, replaced, extensions: applied };
}

/** The defaults of what is replaced are bound where nobody asks for them: what only they use is never made. */
export function loadDefaults({ container, replaced }: ExtendedContainer, modules: ContainerModule[]): void {
  const unused = new Container();
  for (const module of modules) {
    const leftOver = new ContainerModule((options) => {
      const bind: Bind = (token) => (replaced.has(token) ? unused.bind(token) : options.bind(token));
      return module.load({ ...options, bind });
    });
    container.load(leftOver);
  }
}

/** Makes what is bound to the ports: what cannot be made ends the program before it listens. */
export function requireReplacements({ container, replaced }: ExtendedContainer): void {
  const problems = [...replaced].flatMap(([token, name]) => {
    if (!container.isBound(token)) return [`extension ${name} leaves ${nameOfPort(token)} unbound`];
    try {
      container.get(token);
      return [];
    } catch (error) {
      return reasonsOf(error).map(
        (reason) => `extension ${name} cannot make ${nameOfPort(token)}: ${reason}`,
      );
    }
  });
  if (problems.length === 0) return;
  // What was made meanwhile is for nothing.
  container.unbindAllAsync().catch(() => {});
  throw new ConfigurationError(problems);
}

function newAdditions(): AllAdditions {
  return {
    healthCheck: Symbol('health check'),
    lifecycle: Symbol('lifecycle'),
    middleware: Symbol('middleware'),
    outage: Symbol('outage'),
  };
}

/** One line each: what is told of a binding goes on about the container. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasonsOf);
  const message = error instanceof Error ? error.message : String(error);
  return [message.split('\n')[0] ?? ''];
}
