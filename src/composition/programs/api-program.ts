import type { RequestListener } from 'node:http';
import type { Container } from 'inversify';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Check } from '../../adapters/operations/readiness.js';
import { poolLoad } from '../../adapters/postgres/read-database.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { Log } from '../../domain/ports/log.js';
import { apiContainer } from '../api-container.js';
import { API_DOCUMENTS } from '../api-documents.js';
import { migrationsCheck, readTablesCheck, redisCacheCheck, redisCheck } from '../checks.js';
import type { ApiConfiguration } from '../configuration.js';
import { requireReadTables } from '../jobs/require-tables.js';
import { listen } from '../listen.js';
import { TOKENS } from '../tokens.js';
import type { OperatedProgram } from './program.js';

export class ApiProgram implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly #container: Container;
  #address: string | null = null;

  constructor(
    private readonly configuration: ApiConfiguration,
    metrics: PrometheusMetrics,
    private readonly traces: Tracing | null = null,
  ) {
    this.#container = apiContainer(configuration, metrics, traces);
    this.#watch(metrics);
  }

  /** http://host:port, once it is started. */
  get address(): string {
    if (this.#address === null) throw new Error('The API is not started');
    return this.#address;
  }

  get api(): RequestListener | null {
    return this.#address === null ? null : this.#container.get(TOKENS.httpServer).answer;
  }

  get log(): Log {
    return this.#container.get(TOKENS.log);
  }

  async start(): Promise<void> {
    const { port, host, redisUrls } = this.configuration;
    await this.#container.get(TOKENS.upkeep).start();
    this.#address = await listen(this.#container.get(TOKENS.httpServer), 'PORT', port, host);
    this.log.info('listening', { address: this.#address });
    if (redisUrls === null) this.log.warn('cache and rate limit are in memory, for this one process only');
    await this.#warnOfMissingTables();
  }

  checks(): readonly Check[] {
    const { storage, redisUrls } = this.configuration;
    const checks = [readTablesCheck(this.#container.get(TOKENS.generationTable))];
    if (storage.kind === 'postgres') {
      const database = this.#container.get(TOKENS.readDatabase);
      checks.push(migrationsCheck('migrations', (question) => question(database)));
    }
    if (redisUrls !== null) {
      checks.push(redisCheck(this.#container.get(TOKENS.redisGuard)));
      checks.push(redisCacheCheck(this.#container.get(TOKENS.redisAnswersGuard)));
    }
    return checks;
  }

  drain(): void {
    this.#container.get(TOKENS.httpServer).drain();
  }

  /** The API starts all the same: it answers as soon as the tables are there. */
  async #warnOfMissingTables(): Promise<void> {
    try {
      await requireReadTables(this.#container.get(TOKENS.generationTable));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error('every request fails until the read tables can be read', { reason });
    }
  }

  async stop(): Promise<void> {
    if (this.#address !== null) await this.#container.get(TOKENS.httpServer).stop();
    this.#address = null;
    await this.#container.get(TOKENS.upkeep).stop();
    await this.#container.unbindAllAsync();
    await this.traces?.stop();
  }

  #watch(metrics: PrometheusMetrics): void {
    const { storage, redisUrls } = this.configuration;
    if (storage.kind === 'postgres') {
      metrics.watch(['poolInUse', 'poolWaiting'], () => {
        const { inUse, waiting } = poolLoad(this.#container.get(TOKENS.readDatabase));
        return { poolInUse: inUse, poolWaiting: waiting };
      });
    }
    if (redisUrls !== null) {
      metrics.watch(['redisAway', 'redisCacheAway'], () => ({
        redisAway: Number(this.#container.get(TOKENS.redisGuard).isAway),
        redisCacheAway: Number(this.#container.get(TOKENS.redisAnswersGuard).isAway),
      }));
    }
  }
}
