import { createHash } from 'node:crypto';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { type ApiParts, apiParts } from '../../../src/composition/api-parts.js';
import { extendedApi, type NamedExtension } from '../../../src/composition/extensions/extend.js';
import type { ApiConfiguration } from '../../../src/composition/settings/configuration.js';
import { API_PORTS, MONOTONIC_CLOCK } from '../../../src/composition/tokens.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import type { RowKind, RowTypes } from '../../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../../src/domain/model/source.js';
import { SettableClock } from '../clock/settable-clock.js';
import type { Content } from './content-of-read-model.js';
import { expectDocumented } from './documented-answers.js';
import { type OpenStage, openStage } from './open-stage.js';
import type { Stage } from './stages.js';

/** An id of a MySQL dashboard has up to 255 characters. */
const MAX_NAME_LENGTH = 200;

/**
 * The API as composed for production, on a free port, with a clock that the test moves and content that the test
 * provides.
 */
export class ApiUnderTest {
  readonly metrics = new PrometheusMetrics();
  readonly #parts: ApiParts;
  readonly #content: Content;
  #address = '';

  private constructor(
    { readDatabaseUrl, content, extensions = [] }: OpenStage,
    configuration: Partial<ApiConfiguration>,
    others: readonly NamedExtension[],
    readonly clock: SettableClock,
  ) {
    const extended = extendedApi([...extensions, ...others], {});
    const clocks = [API_PORTS.clock, MONOTONIC_CLOCK].map((token) => ({
      token: token as symbol,
      make: () => clock,
      close: () => {},
    }));
    this.#parts = apiParts(
      {
        port: 0,
        host: '127.0.0.1',
        readDatabaseUrl,
        window: { limit: 100_000, lengthMs: 60_000 },
        cacheLifetimesMs: { list: 300_000, detail: 900_000 },
        staleIfErrorMs: 0,
        maxSyncAgeMs: null,
        redisUrls: null,
        redisCacheUrls: null,
        logLevel: 'silent',
        logPretty: false,
        ...configuration,
      },
      this.metrics,
      { ...extended, bindings: [...extended.bindings, ...clocks] },
    );
    this.#content = content;
  }

  static async start(
    stage: Stage,
    configuration: Partial<ApiConfiguration> = {},
    extensions: readonly NamedExtension[] = [],
  ): Promise<ApiUnderTest> {
    const clock = new SettableClock();
    const api = new ApiUnderTest(await openStage(stage, clock), configuration, extensions, clock);
    if (configuration.redisUrls) await api.#redisConnected();
    api.#address = await api.#parts.server.start(0, '127.0.0.1');
    return api;
  }

  /** Waits as the program does before the first request. */
  async #redisConnected(): Promise<void> {
    await Promise.all(this.#parts.redis.map(({ breaker }) => breaker.connected()));
  }

  /** http://127.0.0.1:port */
  get address(): string {
    return this.#address;
  }

  async stop(): Promise<void> {
    await this.#parts.server.stop();
    await this.#parts.close();
    await this.#content.close();
  }

  async put<Kind extends RowKind>(kind: Kind, ...rows: readonly RowTypes[Kind][]): Promise<void> {
    await this.#content.put(kind, rows);
    await this.#look();
  }

  /** Puts a row into the dashboard, whether or not it is shown. */
  async bringOver<Kind extends RowKind>(kind: Kind, source: SourceTypes[Kind]): Promise<void> {
    await this.#content.bringOver(kind, source);
    await this.#look();
  }

  async remove(kind: RowKind, ...ids: readonly string[]): Promise<void> {
    await this.#content.remove(kind, ids);
    await this.#look();
  }

  /** As if the API had been notified. */
  #look(): Promise<void> {
    return this.#parts.generations.look();
  }

  /** Stores a key of the organization, valid by default. */
  async putKey(key: string, organizationId: string, times: { expiresAt?: number; revokedAt?: number } = {}) {
    const hash = createHash('sha256').update(key).digest('hex');
    const id = `id-of-${key.length > MAX_NAME_LENGTH ? hash : key}`;
    await this.put('apiKeys', aKey({ id, organizationId, hash, ...times }));
  }

  /** Sends a request as `fetch` does, with its cache mode and its decompression. */
  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(`${this.#address}${path}`, { headers });
    const text = await answer.clone().text();
    const { status } = answer;
    expectDocumented({ method: 'GET', path, status, headers: Object.fromEntries(answer.headers), text });
    return answer;
  }
}
