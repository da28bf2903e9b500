import { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import { inTime } from '../in-time.js';

/** For a probe, which somebody waits for. */
const PATIENCE_MS = 700;

/**
 * A connection beside the worker's own, which is busy for as long as a step takes. It is thrown away after any failure: on one to a server
 * that froze, nothing would answer any more.
 */
export class Lookout {
  #connection: WorkerConnection | null = null;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  async ask<Result>(question: (database: WorkerConnection['database']) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('this program is stopping');
    this.#connection ??= new WorkerConnection(this.url, 'blog-read-api lookout');
    const connection = this.#connection;
    try {
      return await inTime(this.patienceMs, question(connection.database));
    } catch (error) {
      if (this.#connection === connection) this.#connection = null;
      // Takes its time where the other side does not answer: nobody waits for it.
      void connection.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }
}
