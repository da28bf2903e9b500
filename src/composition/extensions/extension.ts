import type { Bind, ServiceIdentifier } from 'inversify';
import type { ApiMiddleware } from '../../adapters/http/server/api-middleware.js';
import type { Environment } from '../read-settings.js';
import type { API_PORTS, SESSION_PORTS, WORKER_PORTS } from './ports-of-programs.js';

export type { Bind, ServiceIdentifier } from 'inversify';

/**
 * What a team adds to the programs or replaces in them: the default export of a module that `EXTENSIONS` names, or an object for
 * `createApi` and `createSyncWorker`. Its bindings are created separately for each program.
 */
export interface Extension {
  /** The name that operators see. Default: the module as `EXTENSIONS` names it. */
  readonly name?: string;
  /** Binds parts of the API, once, before it starts. Anything that takes time belongs in a `lifecycle`. */
  readonly api?: (api: Extended<ApiTokens>) => void;
  /** The same for the sync worker, for as long as it runs. */
  readonly worker?: (worker: Extended<WorkerTokens>) => void;
  /**
   * Binds the parts of a session of the worker, separately for each session. Leadership ends with the connection on which it was claimed,
   * so all connections are closed after a failure. Bindings of `worker` are available in every session.
   */
  readonly session?: (session: Extended<SessionTokens>) => void;
}

/** What an extension receives. */
export interface Extended<Tokens> {
  /**
   * From Inversify. A bound port has no default any more. Everything is created once and lazily, unless the binding says otherwise, and
   * `onDeactivation` closes it. The extension's own tokens are symbols: `const POOL = Symbol('pool') as ServiceIdentifier<Pool>`.
   */
  readonly bind: Bind;
  readonly tokens: Tokens;
  /** The environment of the program, for settings of the extension itself. An error thrown for one is a configuration error. */
  readonly environment: Environment;
}

/** Each may be bound any number of times. */
export interface Additions {
  /** Additional checks for `/readyz` and the doctor. */
  readonly healthCheck: ServiceIdentifier<ExtensionCheck>;
  readonly lifecycle: ServiceIdentifier<Lifecycle>;
}

export interface ApiAdditions extends Additions {
  /** Runs for each request on the public port before its key is checked, in the order of the bindings. */
  readonly middleware: ServiceIdentifier<ApiMiddleware>;
}

/** A bound port is replaced. A binding of `ApiAdditions` is added. */
export type ApiTokens = typeof API_PORTS & ApiAdditions;

export type WorkerTokens = typeof WORKER_PORTS & Additions;

export interface SessionAdditions {
  /**
   * Whether an error is caused by a server or is temporary, and not caused by the request. The session then ends and the next one begins.
   * Any other error belongs to a row or a job, which is retried separately and finally quarantined.
   */
  readonly outage: ServiceIdentifier<(error: unknown) => boolean>;
}

/** A bound port is replaced. Ports of `WorkerTokens` can be injected here, but are bound in `worker`. */
export type SessionTokens = typeof SESSION_PORTS & typeof WORKER_PORTS & SessionAdditions;

export interface ExtensionCheck {
  /** Unique among the checks of the program. */
  readonly name: string;
  /** False: the program works without it for a while. It is then degraded, but still ready. */
  readonly isNeeded?: boolean;
  /** Throws an error whose message says what is wrong. The doctor runs it without starting a `lifecycle`. */
  run(): Promise<void>;
}

/** Starts before a program accepts the first request, and stops after it has answered the last one. */
export interface Lifecycle {
  /** A program whose `start` fails does not start. */
  start?(): Promise<void> | void;
  /** Has a time limit of ten seconds. */
  stop?(): Promise<void> | void;
}
