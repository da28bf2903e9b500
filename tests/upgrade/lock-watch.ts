import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const POLL_MS = 20;
/** Modes that make readers or writers wait, directly or behind a waiting session. */
const HOLDS_OTHERS_UP = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

/** Measures how long a session, found by its application_name, keeps others from existing tables. */
export class LockWatch {
  readonly #spans = new Map<string, { readonly from: number; to: number }>();
  readonly #stopping = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  looks = 0;

  static async start(url: string, applicationName: string): Promise<LockWatch> {
    const watch = new LockWatch();
    const client = new pg.Client(url);
    await client.connect();
    watch.#watching = watch.#watch(client, applicationName).finally(() => client.end());
    return watch;
  }

  /** The longest time for which a table was kept from others, in milliseconds, and all such times by table and mode. */
  async stop(): Promise<{ readonly longestMs: number; readonly held: readonly string[] }> {
    this.#stopping.abort();
    await this.#watching;
    const spans = [...this.#spans].map(([lock, { from, to }]) => [lock, to - from] as const);
    return {
      longestMs: Math.max(0, ...spans.map(([, ms]) => ms)),
      held: spans.map(([lock, ms]) => `${lock} for ${ms.toFixed(0)} ms`),
    };
  }

  async #watch(client: pg.Client, applicationName: string): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const at = performance.now();
      const { rows } = await client.query<{ lock: string }>(
        // A table that no other session can see yet is not in their catalogue.
        `select distinct concat_ws(' ', relname, mode, virtualtransaction) as lock
         from pg_locks join pg_stat_activity using (pid) join pg_class on pg_class.oid = relation
         where application_name = $1 and datname = current_database() and relkind in ('r', 'p')
           and relnamespace <> 'pg_catalog'::regnamespace and mode = any($2)`,
        [applicationName, HOLDS_OTHERS_UP],
      );
      for (const { lock } of rows) {
        const span = this.#spans.get(lock) ?? { from: at, to: at };
        this.#spans.set(lock, span);
        span.to = performance.now();
      }
      this.looks++;
      await pause(POLL_MS);
    }
  }
}
