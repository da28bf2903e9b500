import type { RequestListener } from 'node:http';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { KEPT_CONNECTIONS, openConnections, poolLoad } from '../../adapters/postgres/read/read-database.js';
import { RepeatedTask } from '../../adapters/system/repeated-task.js';
import { type ApiParts, apiParts } from '../../composition/api-parts.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../composition/extensions/extension.js';
import type { ApiConfiguration } from '../../composition/settings/configuration.js';
import { API_PORTS } from '../../composition/tokens.js';
import type { Check, Examined } from '../../domain/model/finding.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { ReadTables } from '../admin/checks.js';
import { examineAtOnce } from '../admin/examine.js';
import { listen } from '../admin/listen.js';
import { RunningExtensions } from '../admin/running-extensions.js';
import type { OperatedProgram } from '../program.js';
import { apiChecks, cacheCheck, syncAgeCheck, unlessAnswersAreLeft } from './api-checks.js';
import { API_DOCUMENTS } from './api-documents.js';
import { redisCheck } from './redis-checks.js';

const LOOK_EVERY_MS = 100;
const LISTEN_EVERY_MS = 1_000;

export class ApiProgram implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly log: Log;
  readonly #parts: ApiParts;
  readonly #extensions: RunningExtensions;
  readonly #tasks: RepeatedTask[] = [];
  readonly replaced: OperatedProgram['replaced'];
  address: string | null = null;

  constructor(
    private readonly configuration: ApiConfiguration,
    metrics: PrometheusMetrics,
    private readonly extended: Extended<ApiAdditions>,
  ) {
    this.#parts = apiParts(configuration, metrics, extended);
    this.log = this.#parts.ports.log;
    this.#extensions = new RunningExtensions(extended, () => this.#parts.close());
    this.replaced = this.#extensions.replaced;
    this.#watch(metrics);
  }

  get api(): RequestListener | null {
    return this.address === null ? null : this.#parts.server.serve;
  }

  async start(): Promise<void> {
    const { port, host } = this.configuration;
    await this.#extensions.start(this.log, 'api');
    await this.#startTasks();
    this.address = await listen(this.#parts.server, 'PORT', port, host);
    this.log.info('listening', { address: this.address });
    this.#warnOfMemory();
    await this.#warnOfMissingTables();
  }

  /** Starts what the adapters in use do before the first request, and in the background. */
  async #startTasks(): Promise<void> {
    const { generations, redis, readTables } = this.#parts;
    await Promise.all([this.#openConnections(), ...redis.map(({ breaker }) => breaker.connected())]);
    for (const { breaker } of redis) void breaker.tryOut();
    await this.#repeat('reading generations', LOOK_EVERY_MS, () => generations.lookIfDue());
    if (readTables === null || this.#storedBy !== null) return;
    // The repeated look reports failures.
    const notify = () => generations.look().catch(() => {});
    // A standby has no notifications.
    const listen = async () =>
      generations.sync?.isStandby ? readTables.listener.close() : readTables.listener.listen(notify);
    await this.#repeat('listening for raised generations', LISTEN_EVERY_MS, listen);
  }

  /** Waits for one connection. The API also starts if none can be opened. */
  async #openConnections(): Promise<void> {
    const { readTables } = this.#parts;
    if (readTables === null) return;
    await openConnections(readTables.database, 1).catch(() => {});
    void openConnections(readTables.database, KEPT_CONNECTIONS).catch(() => {});
  }

  async #repeat(name: string, everyMs: number, run: () => Promise<void>): Promise<void> {
    const task = new RepeatedTask(name, everyMs, run, this.log);
    this.#tasks.push(task);
    await task.start();
  }

  examine(): Promise<readonly Examined[]> {
    return examineAtOnce(this.checks());
  }

  checks(): readonly Check[] {
    const { redis, readTables, generations, ports, sharedAnswers } = this.#parts;
    const cachedBy = this.extended.replaced.get(API_PORTS.responseCache);
    let areLeft: Promise<boolean> | null = null;
    const areLeftOnce = () => {
      areLeft ??= generations.isGoingWithout();
      return areLeft;
    };
    const onPool: ReadTables | null = readTables && { query: (run) => run(readTables) };
    const syncAge = syncAgeCheck(ports.generationTable, this.#storedBy, this.configuration.maxSyncAgeMs);
    const ofRedis = redis.map(({ name, breaker }) => redisCheck(name, breaker));
    return [
      ...apiChecks(onPool, syncAge, ofRedis).map((check) => unlessAnswersAreLeft(check, areLeftOnce)),
      ...(cachedBy === undefined ? [] : [cacheCheck(sharedAnswers, cachedBy)]),
      ...this.#extensions.checks,
    ];
  }

  drain(): void {
    this.#parts.server.drain();
  }

  /** The extension that stores the generations. Null: they are in the read tables. */
  get #storedBy(): string | null {
    return this.extended.replaced.get(API_PORTS.generationTable) ?? null;
  }

  #warnOfMemory(): void {
    if (this.configuration.redisUrls !== null) return;
    const cache = this.extended.replaced.has(API_PORTS.responseCache) ? [] : ['cache'];
    const limit = this.extended.replaced.has(API_PORTS.requestLog) ? [] : ['rate limit'];
    const inMemory = [...cache, ...limit];
    if (inMemory.length === 0) return;
    const are = inMemory.length === 1 ? 'is' : 'are';
    this.log.warn(`${inMemory.join(' and ')} ${are} in memory, for this process only`);
  }

  /** The API starts without the tables, and answers as soon as they exist. */
  async #warnOfMissingTables(): Promise<void> {
    const name = this.#storedBy === null ? 'readDatabase' : 'syncAge';
    const finding = await this.checks()
      .find((check) => check.name === name)
      ?.run();
    if (finding === undefined || finding.outcome === 'ok') return;
    const { message: reason, advice } = finding;
    this.log.error('the read tables cannot be read: requests fail until they can', { reason, advice });
  }

  async stop(): Promise<void> {
    if (this.address !== null) await this.#parts.server.stop();
    this.address = null;
    for (const task of this.#tasks.toReversed()) await task.stop();
    await this.#extensions.stop(this.log);
  }

  #watch(metrics: PrometheusMetrics): void {
    const { readTables, redis, generations } = this.#parts;
    metrics.watch(['syncAge'], () => {
      const ageMs = generations.sync?.syncAgeMs ?? Number.POSITIVE_INFINITY;
      if (!Number.isFinite(ageMs)) throw new Error('no worker has led yet');
      return { syncAge: ageMs / 1_000 };
    });
    if (readTables !== null) metrics.watch(['poolInUse', 'poolWaiting'], () => poolLoad(readTables.database));
    for (const { name, breaker } of redis) {
      const gauge = `${name}BreakerOpen` as const;
      metrics.watch([gauge], () => ({ [gauge]: Number(breaker.isOpen) }) as Record<typeof gauge, number>);
    }
  }
}
