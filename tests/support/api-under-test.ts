import { createHash } from 'node:crypto';
import { PrometheusMetrics } from '../../src/adapters/operations/prometheus-metrics.js';
import { WorkerConnection } from '../../src/adapters/postgres/worker-connection.js';
import { apiContainer } from '../../src/composition/api-container.js';
import type { ApiConfiguration, StorageConfiguration } from '../../src/composition/configuration.js';
import { TOKENS } from '../../src/composition/tokens.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { aKey } from '../../src/contracts/support/rows.js';
import type { RowKind, RowTypes } from '../../src/domain/model/read-model.js';
import { expectDocumented } from './documented-answers.js';
import { leadingWriter } from './leading-writer.js';
import { createReadTables } from './migrated-databases.js';
import { SettableClock } from './settable-clock.js';

/** Every storage that the API can stand on: what is promised over HTTP is tested on each. */
export const STORAGES: readonly StorageConfiguration['kind'][] = ['memory', 'postgres'];

/** The API as composed for production, on a free port, with a clock that the test moves and content that the test puts. */
export class ApiUnderTest {
  readonly clock = new SettableClock();
  readonly metrics = new PrometheusMetrics();
  readonly #container;
  readonly #worker: WorkerConnection | null;
  #address = '';

  private constructor(storage: StorageConfiguration, configuration: Partial<ApiConfiguration>) {
    this.#container = apiContainer(
      {
        port: 0,
        host: '127.0.0.1',
        storage,
        window: { limit: 100_000, lengthMs: 60_000 },
        cacheLifetimesMs: { list: 300_000, detail: 900_000 },
        redisUrls: null,
        redisCacheUrls: null,
        logLevel: 'silent',
        logPretty: false,
        ...configuration,
      },
      this.metrics,
    );
    this.#worker = storage.kind === 'postgres' ? new WorkerConnection(storage.url, 'test') : null;
  }

  static async start(
    kind: StorageConfiguration['kind'],
    configuration: Partial<ApiConfiguration> = {},
  ): Promise<ApiUnderTest> {
    const storage = kind === 'memory' ? { kind } : { kind, url: await createReadTables() };
    const api = new ApiUnderTest(storage, configuration);
    (await api.#container.rebind(TOKENS.clock)).toConstantValue(api.clock);
    if (configuration.redisUrls) await api.#redisConnected();
    api.#address = await api.#container.get(TOKENS.httpServer).start(0, '127.0.0.1');
    return api;
  }

  /** As the program waits for it, before the first request. */
  async #redisConnected(): Promise<void> {
    await Promise.all(
      [TOKENS.redisGuard, TOKENS.redisAnswersGuard].map((token) => this.#container.get(token).connected()),
    );
  }

  /** http://127.0.0.1:port */
  get address(): string {
    return this.#address;
  }

  async stop(): Promise<void> {
    await this.#container.get(TOKENS.httpServer).stop();
    await this.#container.unbindAllAsync();
    await this.#worker?.close();
  }

  /** As the sync job does it: the rows are written and the generation of their organizations raised. */
  async put<Kind extends RowKind>(kind: Kind, ...rows: readonly RowTypes[Kind][]): Promise<void> {
    await this.#writer.replace({ kind, ids: rows.map(({ id }) => id), rows });
  }

  async remove(kind: RowKind, ...ids: readonly string[]): Promise<void> {
    await this.#writer.replace({ kind, ids, rows: [] });
  }

  get #writer(): LeadingWriter {
    return leadingWriter(this.#worker?.database ?? this.#container.get(TOKENS.memoryReadModel));
  }

  /** Makes this a valid key of the organization. */
  async putKey(key: string, organizationId: string, times: { expiresAt?: number; revokedAt?: number } = {}) {
    const hash = createHash('sha256').update(key).digest('hex');
    await this.put('apiKeys', aKey({ id: `id-of-${key}`, organizationId, hash, ...times }));
  }

  /** As `fetch` does it, with a cache mode and a decompression of its own. */
  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(`${this.#address}${path}`, { headers });
    const text = await answer.clone().text();
    const { status } = answer;
    expectDocumented({ method: 'GET', path, status, headers: Object.fromEntries(answer.headers), text });
    return answer;
  }
}
