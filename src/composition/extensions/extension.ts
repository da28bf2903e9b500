import type { ApiMiddleware } from '../../adapters/http/server/application.js';
import type { RequestLog } from '../../domain/ports/answering/request-log.js';
import type { ResponseCache } from '../../domain/ports/answering/response-cache.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { BlogReader } from '../../domain/ports/reading/blog-reader.js';
import type { CategoryReader } from '../../domain/ports/reading/category-reader.js';
import type { Generations } from '../../domain/ports/reading/generations.js';
import type { TagReader } from '../../domain/ports/reading/tag-reader.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { SyncNotes } from '../../domain/ports/sync/sync-notes.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { KeyHasher } from '../../domain/ports/system/key-hasher.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import type { Environment } from '../settings/read-settings.js';

/**
 * What a team replaces in the programs or adds to them: the default export of a module that
 * `EXTENSIONS` names, or an object for `createApi` and `createSyncWorker`.
 */
export interface Extension {
  /** The name that operators see. Default: the module as `EXTENSIONS` names it. */
  readonly name?: string;
  /** Called once for each API, before anything of it is created. */
  readonly api?: (bind: Bind<ApiPorts>, environment: Environment) => OrNothing<ApiAdditions>;
  /** The same for a sync worker. */
  readonly worker?: (bind: Bind<WorkerPorts>, environment: Environment) => OrNothing<WorkerAdditions>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most extensions return nothing.
export type OrNothing<Added> = Added | void;

/** The driven ports of the API. */
export interface ApiPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly keyHasher: KeyHasher;
  readonly blogReader: BlogReader;
  readonly categoryReader: CategoryReader;
  readonly tagReader: TagReader;
  /** The stored keys. */
  readonly keyTable: ApiKeyDirectory;
  /** The stored generations. */
  readonly generationTable: Generations;
  /** What all processes share, behind the windows and the answers of each process. */
  readonly requestLog: RequestLog;
  readonly responseCache: ResponseCache;
  /** Identifies the stored read model, in the names of keys in Redis. */
  readonly installation: () => Promise<string>;
}

/**
 * The driven ports of the worker. All but `log` and `metrics` are created for each session, because
 * leadership ends with the connection on which it was claimed, and closed after a failure.
 */
export interface WorkerPorts extends Pick<ApiPorts, 'log' | 'metrics' | 'generationTable'> {
  /** A leader that has not written for ten seconds is considered frozen. */
  readonly leadership: Leadership;
  readonly changeFeed: ChangeFeed;
  readonly contentSource: ContentSource;
  readonly readModelWriter: ReadModelWriter;
  readonly jobQueue: JobQueue;
  readonly syncNotes: SyncNotes;
}

/**
 * Replaces the default of a port, or adds a part. `make` is called once, when it is first needed,
 * and must not be asynchronous. `close` is called when the program stops.
 */
export interface Bind<Ports> {
  <Name extends keyof Ports>(
    port: Name,
    make: (get: Get<Ports>) => Ports[Name],
    close?: (made: Ports[Name]) => Promise<void> | void,
  ): void;
  <Made>(
    part: Part<Made>,
    make: (get: Get<Ports>) => Made,
    close?: (made: Made) => Promise<void> | void,
  ): void;
}

export interface Get<Ports> {
  <Name extends keyof Ports>(port: Name): Ports[Name];
  <Made>(part: Part<Made>): Made;
}

/** `const POOL = Symbol('pool') as Part<Pool>` */
export type Part<Made> = symbol & { readonly made?: Made };

export interface Additions {
  /** Further checks for `/readyz` and the doctor. */
  readonly healthChecks?: readonly ExtensionCheck[];
  /** Before the program accepts the first request. If it fails, the program does not start. */
  readonly start?: (log: Log) => Promise<void> | void;
  /** After the program has answered the last request. Has a time limit of ten seconds. */
  readonly stop?: () => Promise<void> | void;
}

export interface ApiAdditions extends Additions {
  /** Round each request on the public port, in this order: before its key is checked, and after. */
  readonly middleware?: readonly ApiMiddleware[];
}

export interface WorkerAdditions extends Additions {
  /**
   * Whether a server or the moment causes an error, which ends the session. Any other one belongs
   * to a row or a job.
   */
  readonly isOutage?: (error: unknown) => boolean;
}

export interface ExtensionCheck {
  /** Shown in `/readyz`. */
  readonly name: string;
  /** False: the program works without it for a while. It is then degraded, but still ready. */
  readonly isNeeded?: boolean;
  /**
   * Throws an error whose message says what is wrong. The doctor runs it without `start`, and makes
   * nothing that is bound.
   */
  run(): Promise<void>;
}
