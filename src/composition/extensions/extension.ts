import type { Bind, ServiceIdentifier } from 'inversify';
import type { ApiMiddleware } from '../../adapters/http/api-middleware.js';
import type { Environment } from '../read-settings.js';
import type { API_PORTS, SESSION_PORTS, WORKER_PORTS } from './ports-of-programs.js';

export type { Bind, ServiceIdentifier } from 'inversify';

/**
 * What a team adds to the programs, or puts in place of what they have: the default export of a module that `EXTENSIONS` names, or an
 * object for `createApi` and `createSyncWorker`. What it binds is bound anew for each program.
 */
export interface Extension {
  /** As operators see it. Left out: as `EXTENSIONS` names the module. */
  readonly name?: string;
  /** Binds what the API shall have, once, before it starts. What takes time begins in a `lifecycle`. */
  readonly api?: (api: Extended<ApiTokens>) => void;
  /** The same for the sync worker: what it has for as long as it runs. */
  readonly worker?: (worker: Extended<WorkerTokens>) => void;
  /**
   * Binds what a session of the worker stands on, for each session anew: a lead ends with the connection on which it was claimed, so that
   * all connections are closed after a failure. What is bound in `worker` is there for every session.
   */
  readonly session?: (session: Extended<SessionTokens>) => void;
}

/** What an extension is handed. */
export interface Extended<Tokens> {
  /**
   * Inversify's. A port that is bound has no default any more; everything is made once and lazily, unless the binding says otherwise, and
   * `onDeactivation` closes it. Tokens of the extension's own are symbols: `const POOL = Symbol('pool') as ServiceIdentifier<Pool>`.
   */
  readonly bind: Bind;
  readonly tokens: Tokens;
  /** The variables that the program was given, for settings of the extension's own. What it throws for them is a configuration error. */
  readonly environment: Environment;
}

/** Each may be bound any number of times. */
export interface Additions {
  /** What `/readyz` and the doctor ask besides. */
  readonly healthCheck: ServiceIdentifier<ExtensionCheck>;
  readonly lifecycle: ServiceIdentifier<Lifecycle>;
}

export interface ApiAdditions extends Additions {
  /** Runs for each request on the public port before its key is looked at, in the order of the bindings. */
  readonly middleware: ServiceIdentifier<ApiMiddleware>;
}

/** A port that is bound is replaced; what is in `ApiAdditions` is added. */
export type ApiTokens = typeof API_PORTS & ApiAdditions;

export type WorkerTokens = typeof WORKER_PORTS & Additions;

export interface SessionAdditions {
  /**
   * Tells whether a failure is of a server or of the moment, and not of what was asked: the session ends then, and the next one begins.
   * Any other failure is that of a row or a piece of work, which is tried again by itself, and quarantined at last.
   */
  readonly outage: ServiceIdentifier<(error: unknown) => boolean>;
}

/** A port that is bound is replaced. Those of `WorkerTokens` may be asked for, and are bound in `worker`. */
export type SessionTokens = typeof SESSION_PORTS & typeof WORKER_PORTS & SessionAdditions;

export interface ExtensionCheck {
  /** Of no other check of the program. */
  readonly name: string;
  /** False: the program does its work without it for a while. It is degraded then, and still ready. */
  readonly isNeeded?: boolean;
  /** Throws an error whose message says what is wrong. In the doctor, without a `lifecycle` having started. */
  run(): Promise<void>;
}

/** Begins before a program takes its first request, and ends when it has answered the last one. */
export interface Lifecycle {
  /** A program whose `start` fails does not start. */
  start?(): Promise<void> | void;
  /** Has ten seconds. */
  stop?(): Promise<void> | void;
}
