import { type Bind, Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { ConfigurationError, type Environment } from '../read-settings.js';
import { requireToken, withSynchronousFactory } from './checked-binding.js';
import type {
  ApiAdditions,
  ApiTokens,
  Extended,
  Extension,
  SessionAdditions,
  SessionTokens,
  WorkerTokens,
} from './extension.js';
import {
  API_PORTS,
  nameOfPort,
  type Replacements,
  SESSION_PORTS,
  WORKER_PORTS,
} from './ports-of-programs.js';
import { reasonsOf } from './reasons-of.js';

export interface NamedExtension extends Extension {
  readonly name: string;
}

/** A program's container with the bindings of extensions. Its defaults are not loaded yet. */
export interface ExtendedContainer {
  readonly container: Container;
  readonly replaced: Replacements;
  readonly extensions: readonly AppliedExtension[];
}

/** One extension, and its bindings in the program. */
export interface AppliedExtension {
  readonly name: string;
  /** Each extension has its own tokens for these. */
  readonly additions: AllAdditions;
}

type AllAdditions = ApiAdditions & SessionAdditions;

type Tokens = Readonly<Record<string, ServiceIdentifier>>;

interface Part<Handed extends Tokens> {
  /** Ports whose default is replaced. */
  readonly ports: Tokens;
  readonly tokensWith: (additions: AllAdditions) => Handed;
  readonly apply: (extension: Extension, extended: Extended<Handed>) => unknown;
}

export function extendedApi(
  extensions: readonly NamedExtension[],
  environment: Environment,
): ExtendedContainer {
  const api = {
    ports: API_PORTS,
    tokensWith: ({ healthCheck, lifecycle, middleware }: AllAdditions) => ({
      ...API_PORTS,
      healthCheck,
      lifecycle,
      middleware,
    }),
    apply: (extension: Extension, extended: Extended<ApiTokens>) => extension.api?.(extended),
  };
  return extend(extensions, api, environment);
}

/** The worker, and its first session. */
export class ExtendedWorker {
  readonly program: ExtendedContainer;
  #next: ExtendedContainer | null;
  /** According to the first session. All others are bound in the same way. */
  readonly replaced: Replacements;

  constructor(
    private readonly extensions: readonly NamedExtension[],
    private readonly environment: Environment,
  ) {
    const worker = {
      ports: WORKER_PORTS,
      tokensWith: ({ healthCheck, lifecycle }: AllAdditions) => ({ ...WORKER_PORTS, healthCheck, lifecycle }),
      apply: (extension: Extension, extended: Extended<WorkerTokens>) => extension.worker?.(extended),
    };
    this.program = extend(extensions, worker, environment);
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
    const session = {
      ports: SESSION_PORTS,
      tokensWith: ({ outage }: AllAdditions) => ({ ...SESSION_PORTS, ...WORKER_PORTS, outage }),
      apply: (extension: Extension, { bind, ...handed }: Extended<SessionTokens>) => {
        const bindForSession: Bind = (token) => {
          if (ofWorker.includes(token))
            throw new Error(`binds ${nameOfPort(token)} for a session: bind it in \`worker\``);
          return bind(token);
        };
        return extension.session?.({ ...handed, bind: bindForSession });
      },
    };
    return extend(this.extensions, session, this.environment, this.program.container);
  }
}

/** Runs each extension so that it adds its bindings. Throws a ConfigurationError with all errors. */
function extend<Handed extends Tokens>(
  extensions: readonly NamedExtension[],
  { ports, tokensWith, apply }: Part<Handed>,
  environment: Environment,
  parent?: Container,
): ExtendedContainer {
  const container = new Container({ defaultScope: 'Singleton', parent });
  const replaced = new Map<ServiceIdentifier, string>();
  const problems: string[] = [];
  const applied = extensions.map((extension): AppliedExtension => {
    const { name } = extension;
    const additions = newAdditions();
    const tokens = tokensWith(additions);
    let isConfiguring = true;
    const bind: Bind = (token) => {
      requireToken(token, tokens);
      if (!isConfiguring)
        throw new Error(
          `extension ${name} binds ${nameOfPort(token)} too late: bind before the function returns`,
        );
      if (!Object.values(ports).includes(token)) return withSynchronousFactory(container.bind(token));
      const other = replaced.get(token);
      if (other !== undefined)
        throw new Error(`binds ${nameOfPort(token)}, which ${other} has already bound`);
      replaced.set(token, name);
      return withSynchronousFactory(container.bind(token));
    };
    try {
      const result = apply(extension, { bind, environment, tokens });
      if (result instanceof Promise) {
        // It may reject later, when no one awaits it.
        result.catch(() => {});
        throw new Error('binds asynchronously: use a `lifecycle` for anything that takes time');
      }
    } catch (error) {
      for (const reason of reasonsOf(error)) problems.push(`extension ${name}: ${reason}`);
    }
    isConfiguring = false;
    return { name, additions };
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { container, replaced, extensions: applied };
}

/** The defaults of replaced ports are bound in an unused container, so what only they use is never created. */
export function loadDefaults({ container, replaced }: ExtendedContainer, modules: ContainerModule[]): void {
  const unused = new Container();
  for (const module of modules) {
    const unreplaced = new ContainerModule((options) => {
      const bind: Bind = (token) => (replaced.has(token) ? unused.bind(token) : options.bind(token));
      return module.load({ ...options, bind });
    });
    container.load(unreplaced);
  }
}

/** Creates the bound ports: an error ends the program before it listens. */
export function requireReplacements({ container, replaced }: ExtendedContainer): void {
  const problems = [...replaced].flatMap(([token, name]) => {
    if (!container.isBound(token)) return [`extension ${name} leaves ${nameOfPort(token)} unbound`];
    try {
      container.get(token);
      return [];
    } catch (error) {
      return reasonsOf(error).map(
        (reason) => `extension ${name} cannot create ${nameOfPort(token)}: ${reason}`,
      );
    }
  });
  if (problems.length === 0) return;
  // What was created meanwhile is not needed any more.
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
