import { readdir, readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Values that must not grow while a service runs, by name. */
export type VitalSigns = Readonly<Record<string, number>>;

/** Observes processes, and the servers that they are connected to, from outside. */
export class Observer {
  readonly #redis: Redis;
  readonly #postgres: pg.Client;

  private constructor(
    private readonly processes: Readonly<Record<string, number>>,
    redisUrl: string,
    databaseUrl: string,
  ) {
    this.#redis = new Redis(redisUrl);
    this.#postgres = new pg.Client(databaseUrl);
  }

  static async start(processes: Readonly<Record<string, number>>, redisUrl: string, databaseUrl: string) {
    const observer = new Observer(processes, redisUrl, databaseUrl);
    await observer.#postgres.connect();
    return observer;
  }

  async look(): Promise<VitalSigns> {
    const signs: Record<string, number> = {
      'connections to Redis': Number(/connected_clients:(\d+)/.exec(await this.#redis.info('clients'))?.[1]),
      'connections to PostgreSQL': await this.#connections(),
    };
    for (const [name, pid] of Object.entries(this.processes)) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      signs[`MB of ${name}`] = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
      signs[`handles of ${name}`] = (await readdir(`/proc/${pid}/fd`)).length;
    }
    return signs;
  }

  async end(): Promise<void> {
    this.#redis.disconnect();
    await this.#postgres.end();
  }

  async #connections(): Promise<number> {
    const { rows } = await this.#postgres.query(
      `select count(*)::int as connections from pg_stat_activity where application_name like 'blog-read-api%'`,
    );
    return rows[0].connections;
  }
}
