import type { RequestListener } from 'node:http';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Check } from '../../adapters/operations/readiness.js';
import { poolLoad, type ReadDatabase } from '../../adapters/postgres/connection/read-database.js';
import type { Replica } from '../../adapters/postgres/replicas/replica.js';
import type { Upkeep } from '../../adapters/system/upkeep.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import { apiContainer } from '../../composition/api-container.js';
import type { ApiConfiguration } from '../../composition/configuration.js';
import { type ExtendedContainer, extendedApi } from '../../composition/extensions/extend.js';
import {
  type ApiNeeds,
  needsOfApi,
  type Replacements,
} from '../../composition/extensions/ports-of-programs.js';
import { TOKENS } from '../../composition/tokens.js';
import type { Log } from '../../domain/ports/log.js';
import {
  migrationsCheck,
  readTablesCheck,
  redisCacheCheck,
  redisCheck,
  replicasCheck,
  unlessReplicasAnswer,
} from '../operations/checks.js';
import { listen } from '../operations/listen.js';
import { requireDistinctNames } from '../operations/require-distinct-names.js';
import { requireReadTables } from '../operations/require-tables.js';
import { RunningExtensions } from '../operations/running-extensions.js';
import type { OperatedProgram } from '../program.js';
import { API_DOCUMENTS } from './api-documents.js';
import { apiUpkeep } from './upkeep.js';

export class ApiProgram implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly #container: ExtendedContainer['container'];
  readonly #replaced: Replacements;
  readonly #needs: ApiNeeds;
  readonly #extensions: RunningExtensions;
  #upkeep: Upkeep | null = null;
  #address: string | null = null;

  constructor(
    private readonly configuration: ApiConfiguration,
    metrics: PrometheusMetrics,
    private readonly traces: Tracing | null = null,
    private readonly extended: ExtendedContainer = extendedApi([], {}),
  ) {
    this.#container = apiContainer(configuration, metrics, traces, extended);
    this.#replaced = extended.replaced;
    this.#needs = needsOfApi(extended.replaced, configuration.redisUrls !== null);
    this.#extensions = new RunningExtensions(extended);
    requireDistinctNames(this.checks());
    this.#watch(metrics);
  }

  /** http://host:port, after the start. */
  get address(): string {
    if (this.#address === null) throw new Error('The API is not started');
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
    this.#upkeep = apiUpkeep(this.extended, this.#needs);
    await this.#upkeep.start();
    this.#address = await listen(this.#container.get(TOKENS.httpServer), 'PORT', port, host);
    this.log.info('listening', { address: this.#address });
    this.#warnOfMemory();
    await this.#warnOfMissingTables();
  }

  checks(): readonly Check[] {
    const ofPrimary = this.#checksOfPrimary();
    const checks =
      this.#replicas.length > 0 && this.#readsDatabase
        ? ofPrimary.map((check) => unlessReplicasAnswer(check, this.#primary, this.#replicas))
        : [...ofPrimary];
    if (this.#replicas.length > 0) checks.push(replicasCheck(this.#replicas));
    if (this.#needs.redis) checks.push(redisCheck(this.#container.get(TOKENS.redisBreaker)));
    if (this.#needs.redisAnswers) {
      checks.push(redisCacheCheck(this.#container.get(TOKENS.redisAnswersBreaker)));
    }
    return [...checks, ...this.#extensions.checks];
  }

  drain(): void {
    this.#container.get(TOKENS.httpServer).drain();
  }

  /** Another process accepts new connections from now on. Resolves when the existing connections have ended. */
  retire(): Promise<void> {
    return this.#container.get(TOKENS.httpServer).retire();
  }

  #checksOfPrimary(): readonly Check[] {
    const tables = readTablesCheck(this.#container.get(TOKENS.generationTable), this.#storedBy);
    if (!this.#readsDatabase) return [tables];
    return [tables, migrationsCheck('migrations', (query) => query(this.#primary))];
  }

  get #primary(): ReadDatabase {
    return this.#container.get(TOKENS.readDatabase);
  }

  get #readsDatabase(): boolean {
    return this.configuration.storage?.kind === 'postgres' && this.#needs.readDatabase.length > 0;
  }

  get #replicas(): readonly Replica[] {
    return this.#container.get(TOKENS.replicas, { optional: true }) ?? [];
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
    await this.#upkeep?.stop();
    await this.#extensions.stop(log);
    await this.traces?.stop();
  }

  #watch(metrics: PrometheusMetrics): void {
    if (this.#readsDatabase) {
      metrics.watch(['poolInUse', 'poolWaiting'], () => {
        const { inUse, waiting } = poolLoad(this.#container.get(TOKENS.readDatabase));
        return { poolInUse: inUse, poolWaiting: waiting };
      });
    }
    if (this.#replicas.length > 0) {
      metrics.watchReplicas(() => this.#replicas.map(({ reading }) => reading));
    }
    if (this.#needs.redis) {
      metrics.watch(['redisBreakerOpen'], () => ({
        redisBreakerOpen: Number(this.#container.get(TOKENS.redisBreaker).isOpen),
      }));
    }
    if (this.#needs.redisAnswers) {
      metrics.watch(['redisCacheBreakerOpen'], () => ({
        redisCacheBreakerOpen: Number(this.#container.get(TOKENS.redisAnswersBreaker).isOpen),
      }));
    }
  }
}
