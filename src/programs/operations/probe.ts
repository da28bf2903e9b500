import { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import { inTime } from '../../adapters/system/in-time.js';

/** For a probe, which somebody waits for. */
const PATIENCE_MS = 700;
const NAME = 'blog-read-api probe';

interface Closable {
  close(): Promise<void>;
}

/**
 * A connection beside the worker's own, which is busy for as long as a step takes. It is thrown away after any failure: on one to a server
 * that froze, nothing would answer any more.
 */
export class Probe<Asked> {
  #connection: (Closable & { readonly asked: Asked }) | null = null;
  #isClosed = false;

  constructor(
    private readonly open: (name: string) => Closable & { readonly asked: Asked },
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  async ask<Result>(question: (asked: Asked) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('this program is stopping');
    this.#connection ??= this.open(NAME);
    const connection = this.#connection;
    try {
      return await inTime(this.patienceMs, question(connection.asked));
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

export type DatabaseProbe = Probe<WorkerConnection['database']>;

/** On a PostgreSQL. */
export function probeOn(url: string, patienceMs?: number): DatabaseProbe {
  return new Probe((name) => {
    const connection = new WorkerConnection(url, name);
    return { asked: connection.database, close: () => connection.close() };
  }, patienceMs);
}
