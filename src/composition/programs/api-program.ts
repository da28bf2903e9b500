import type { Container } from 'inversify';
import { apiContainer } from '../api-container.js';
import type { ApiConfiguration } from '../configuration.js';
import { requireReadTables } from '../jobs/require-tables.js';
import { TOKENS } from '../tokens.js';
import type { Program } from './program.js';

export class ApiProgram implements Program {
  readonly #container: Container;
  #address: string | null = null;

  constructor(private readonly configuration: ApiConfiguration) {
    this.#container = apiContainer(configuration);
  }

  /** http://host:port, once it is started. */
  get address(): string {
    if (this.#address === null) throw new Error('The API is not started');
    return this.#address;
  }

  async start(): Promise<void> {
    const { port, host, redisUrls } = this.configuration;
    await this.#container.get(TOKENS.upkeep).start();
    this.#address = await this.#container.get(TOKENS.httpServer).start(port, host);
    const log = this.#container.get(TOKENS.log);
    log.info('listening', { address: this.#address });
    if (redisUrls === null) log.warn('cache and rate limit are in memory, for this one process only');
    await this.#warnOfMissingTables();
  }

  /** The API starts all the same: it answers as soon as the tables are there. */
  async #warnOfMissingTables(): Promise<void> {
    try {
      await requireReadTables(this.#container.get(TOKENS.generationTable));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#container
        .get(TOKENS.log)
        .warn('every request fails until the read tables can be read', { reason });
    }
  }

  async stop(): Promise<void> {
    if (this.#address !== null) await this.#container.get(TOKENS.httpServer).stop();
    this.#address = null;
    await this.#container.get(TOKENS.upkeep).stop();
    await this.#container.unbindAllAsync();
  }
}
