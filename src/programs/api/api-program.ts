import type { RequestListener } from 'node:http';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Check } from '../../adapters/operations/readiness.js';
import {
  KEPT_CONNECTIONS,
  openConnections,
  poolLoad,
} from '../../adapters/postgres/connection/read-database.js';
import { newestReadableGeneration } from '../../adapters/postgres/read/read-table.js';
import { RepeatedTask } from '../../adapters/system/repeated-task.js';
import { type ApiParts, apiParts } from '../../composition/api-parts.js';
import { type Extended, extendedApi, type Replaced } from '../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../composition/extensions/extension.js';
import type { ApiConfiguration } from '../../composition/settings/configuration.js';
import { TOKENS } from '../../composition/tokens.js';
import type { Log } from '../../domain/ports/system/log.js';
import {
  migrationsCheck,
  NO_QUESTION,
  redisCheck,
  replicasCheck,
  requireReadTables,
  rightsCheck,
  unlessAnswersAreLeft,
} from '../admin/checks.js';
import { listen } from '../admin/listen.js';
import { RunningExtensions } from '../admin/running-extensions.js';
import type { OperatedProgram } from '../program.js';
import { API_DOCUMENTS } from './api-documents.js';

const LOOK_EVERY_MS = 100;
const LISTEN_EVERY_MS = 1_000;
const PROBE_EVERY_MS = 500;

export class ApiProgram implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly log: Log;
  readonly #parts: ApiParts;
  readonly #replaced: Replaced;
  readonly #extensions: RunningExtensions;
  readonly #tasks: RepeatedTask[] = [];
  #address: string | null = null;

  constructor(
    private readonly configuration: ApiConfiguration,
    metrics: PrometheusMetrics,
    extended: Extended<ApiAdditions> = extendedApi([], {}),
  ) {
    this.#parts = apiParts(configuration, metrics, extended);
    this.log = this.#parts.ports.log;
    this.#replaced = extended.replaced;
    this.#extensions = new RunningExtensions(extended, () => this.#parts.close());
    this.#watch(metrics);
  }

  get address(): string | null {
    return this.#address;
  }

  get api(): RequestListener | null {
    return this.#address === null ? null : this.#parts.server.serve;
  }

  get replaced(): Readonly<Record<string, string>> {
    return this.#extensions.replaced;
  }

  async start(): Promise<void> {
    const { port, host } = this.configuration;
    await this.#extensions.start(this.log, 'api');
    await this.#startTasks();
    this.#address = await listen(this.#parts.server, 'PORT', port, host);
    this.log.info('listening', { address: this.#address });
    this.#warnOfMemory();
    await this.#warnOfMissingTables();
  }

  /** What the adapters in use need before the first request, and in the background. */
  async #startTasks(): Promise<void> {
    const { generations, redis, redisAnswers, replicas, primaryIdentity, raiseListener } = this.#parts;
    const breakers = [redisAnswers, redis];
    await Promise.all([this.#openConnections(), ...breakers.map((breaker) => breaker?.connected())]);
    for (const breaker of breakers) void breaker?.tryOut();
    if (primaryIdentity !== null) {
      const probeAll = async () => void (await Promise.all(replicas.map((replica) => replica.probe())));
      await this.#repeat('identifying the primary of the read replicas', PROBE_EVERY_MS, () =>
        primaryIdentity.refresh(),
      );
      await this.#repeat('probing the read replicas', PROBE_EVERY_MS, probeAll);
    }
    await this.#repeat('reading generations', LOOK_EVERY_MS, () => generations.look());
    if (raiseListener === null) return;
    // The repeated look reports failures.
    const notify = () => generations.look().catch(() => {});
    const listen = () => raiseListener.listen(notify);
    await this.#repeat('listening for raised generations', LISTEN_EVERY_MS, listen);
  }

  /** The API starts even if they cannot be opened, and while all but one are being opened. */
  async #openConnections(): Promise<void> {
    const { readDatabase } = this.#parts;
    if (readDatabase === null) return;
    await openConnections(readDatabase, 1).catch(() => {});
    void openConnections(readDatabase, KEPT_CONNECTIONS).catch(() => {});
  }

  async #repeat(name: string, everyMs: number, run: () => Promise<void>): Promise<void> {
    const task = new RepeatedTask(name, everyMs, run, this.log);
    this.#tasks.push(task);
    await task.start();
  }

  checks(): readonly Check[] {
    const { replicas, redis, redisAnswers } = this.#parts;
    const checks = this.#checksOfPrimary();
    if (replicas.length > 0) checks.push(replicasCheck(replicas));
    if (redis !== null) checks.push(redisCheck(redis));
    if (redisAnswers !== null) checks.push(redisCheck(redisAnswers, 'redisCache'));
    return [...checks, ...this.#extensions.checks];
  }

  drain(): void {
    this.#parts.server.drain();
  }

  #checksOfPrimary(): Check[] {
    const name = this.#storedBy === null ? 'readDatabase' : 'readModel';
    const tables = { name, run: () => this.#requireTables() };
    const { readDatabase: primary } = this.#parts;
    const migrations =
      primary === null
        ? []
        : [
            migrationsCheck('migrations', (query) => query(primary)),
            rightsCheck('api', (query) => query(primary)),
          ];
    return [tables, ...migrations].map((check) => unlessAnswersAreLeft(check, () => this.#remaining));
  }

  /** What is served while the primary is away. Null: nothing. */
  get #remaining(): string | null {
    if (this.#parts.replicas.some(({ reading }) => reading.exclusion === null)) return 'replicas';
    return this.#parts.generations.isGoingWithout ? 'the cache' : null;
  }

  /** The extension that stores the generations. Null: they are in the read tables. */
  get #storedBy(): string | null {
    return this.#replaced.get(TOKENS.generationTable) ?? null;
  }

  /** Reads what requests read: one lost right, or one lock, fails all requests of a kind. */
  #requireTables(): Promise<void> {
    const { readDatabase, ports } = this.#parts;
    const tables = this.#storedBy === null ? readDatabase : null;
    const read = async () =>
      tables === null ? ports.generationTable.read(NO_QUESTION) : newestReadableGeneration(tables);
    return requireReadTables(read, this.#storedBy);
  }

  #warnOfMemory(): void {
    if (this.configuration.redisUrls !== null) return;
    const cache = this.#replaced.has(TOKENS.responseCache) ? [] : ['cache'];
    const limit = this.#replaced.has(TOKENS.requestLog) ? [] : ['rate limit'];
    const inMemory = [...cache, ...limit];
    if (inMemory.length === 0) return;
    const are = inMemory.length === 1 ? 'is' : 'are';
    this.log.warn(`${inMemory.join(' and ')} ${are} in memory, for this process only`);
  }

  /** The API starts without them, and answers as soon as they exist. */
  async #warnOfMissingTables(): Promise<void> {
    try {
      await this.#requireTables();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error('the read tables cannot be read: requests fail until they can', { reason });
    }
  }

  async stop(): Promise<void> {
    const { log } = this;
    if (this.#address !== null) await this.#parts.server.stop();
    this.#address = null;
    for (const task of this.#tasks.toReversed()) await task.stop();
    await this.#extensions.stop(log);
  }

  #watch(metrics: PrometheusMetrics): void {
    const { readDatabase, replicas, redis, redisAnswers } = this.#parts;
    if (readDatabase !== null) {
      metrics.watch(['poolInUse', 'poolWaiting'], () => poolLoad(readDatabase));
    }
    if (replicas.length > 0) {
      metrics.watchReplicas(() => replicas.map(({ reading }) => reading));
    }
    if (redis !== null) {
      metrics.watch(['redisBreakerOpen'], () => ({ redisBreakerOpen: Number(redis.isOpen) }));
    }
    if (redisAnswers !== null) {
      metrics.watch(['redisCacheBreakerOpen'], () => ({
        redisCacheBreakerOpen: Number(redisAnswers.isOpen),
      }));
    }
  }
}
