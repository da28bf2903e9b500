import type { RequestListener } from 'node:http';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Check } from '../../adapters/operations/readiness.js';
import { poolLoad } from '../../adapters/postgres/connection/read-database.js';
import type { Replica } from '../../adapters/postgres/replicas/replica.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import { apiContainer } from '../../composition/api-container.js';
import { type Extended, extendedApi, type Replaced } from '../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../composition/extensions/extension.js';
import type { Created } from '../../composition/noting-created.js';
import type { ApiConfiguration } from '../../composition/settings/configuration.js';
import { TOKENS } from '../../composition/tokens.js';
import type { Log } from '../../domain/ports/log.js';
import {
  migrationsCheck,
  readTablesCheck,
  redisCheck,
  replicasCheck,
  requireReadTables,
  unlessReplicasAnswer,
} from '../admin/checks.js';
import { listen } from '../admin/listen.js';
import { RunningExtensions } from '../admin/running-extensions.js';
import type { OperatedProgram } from '../program.js';
import { API_DOCUMENTS } from './api-documents.js';
import { ApiUpkeep } from './api-upkeep.js';

export class ApiProgram implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly #created: Created;
  readonly #replaced: Replaced;
  readonly #extensions: RunningExtensions;
  readonly #upkeep: ApiUpkeep;
  #address: string | null = null;

  constructor(
    private readonly configuration: ApiConfiguration,
    metrics: PrometheusMetrics,
    private readonly traces: Tracing | null = null,
    extended: Extended<ApiAdditions> = extendedApi([], {}),
  ) {
    this.#created = apiContainer(configuration, metrics, traces, extended);
    this.#upkeep = new ApiUpkeep(this.#created);
    this.#replaced = extended.replaced;
    this.#extensions = new RunningExtensions(extended, this.#container);
    this.#watch(metrics);
  }

  get address(): string | null {
    return this.#address;
  }

  get api(): RequestListener | null {
    return this.#address === null ? null : this.#container.get(TOKENS.httpServer).serve;
  }

  get replaced(): Readonly<Record<string, string>> {
    return this.#extensions.replaced;
  }

  get log(): Log {
    return this.#container.get(TOKENS.log);
  }

  async start(): Promise<void> {
    const { port, host } = this.configuration;
    await this.#extensions.start(this.log, 'api');
    await this.#upkeep.start();
    this.#address = await listen(this.#container.get(TOKENS.httpServer), 'PORT', port, host);
    this.log.info('listening', { address: this.#address });
    this.#warnOfMemory();
    await this.#warnOfMissingTables();
  }

  checks(): readonly Check[] {
    const checks = this.#checksOfPrimary();
    if (this.#replicas.length > 0) checks.push(replicasCheck(this.#replicas));
    const redis = this.#created.find(TOKENS.redisBreaker);
    const redisAnswers = this.#created.find(TOKENS.redisAnswersBreaker);
    if (redis !== null) checks.push(redisCheck(redis));
    if (redisAnswers !== null) checks.push(redisCheck(redisAnswers, 'redisCache'));
    return [...checks, ...this.#extensions.checks];
  }

  drain(): void {
    this.#container.get(TOKENS.httpServer).drain();
  }

  #checksOfPrimary(): Check[] {
    const tables = readTablesCheck(this.#container.get(TOKENS.generationTable), this.#storedBy);
    const primary = this.#created.find(TOKENS.readDatabase);
    if (primary === null) return [tables];
    const checks = [tables, migrationsCheck('migrations', (query) => query(primary))];
    if (this.#replicas.length === 0) return checks;
    return checks.map((check) => unlessReplicasAnswer(check, this.#replicas));
  }

  get #container(): Created['container'] {
    return this.#created.container;
  }

  get #replicas(): readonly Replica[] {
    return this.#created.find(TOKENS.replicas) ?? [];
  }

  /** The extension that stores the generations. Null: they are in the read tables. */
  get #storedBy(): string | null {
    return this.#replaced.get(TOKENS.generationTable) ?? null;
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
      await requireReadTables(this.#container.get(TOKENS.generationTable), this.#storedBy);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error('the read tables cannot be read: requests fail until they can', { reason });
    }
  }

  async stop(): Promise<void> {
    const { log } = this;
    if (this.#address !== null) await this.#container.get(TOKENS.httpServer).stop();
    this.#address = null;
    await this.#upkeep.stop();
    await this.#extensions.stop(log);
    await this.traces?.stop();
  }

  #watch(metrics: PrometheusMetrics): void {
    const database = this.#created.find(TOKENS.readDatabase);
    if (database !== null) {
      metrics.watch(['poolInUse', 'poolWaiting'], () => {
        const { inUse, waiting } = poolLoad(database);
        return { poolInUse: inUse, poolWaiting: waiting };
      });
    }
    if (this.#replicas.length > 0) {
      metrics.watchReplicas(() => this.#replicas.map(({ reading }) => reading));
    }
    const redis = this.#created.find(TOKENS.redisBreaker);
    if (redis !== null) {
      metrics.watch(['redisBreakerOpen'], () => ({ redisBreakerOpen: Number(redis.isOpen) }));
    }
    const redisAnswers = this.#created.find(TOKENS.redisAnswersBreaker);
    if (redisAnswers !== null) {
      metrics.watch(['redisCacheBreakerOpen'], () => ({
        redisCacheBreakerOpen: Number(redisAnswers.isOpen),
      }));
    }
  }
}
