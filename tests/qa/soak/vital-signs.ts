import { readdir, readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { median } from '../bench/figures.js';

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

/** A process may use this much more memory at the end than after its warm-up, because garbage is collected late. */
const ALLOWED_GROWTH = 1.1;
/** One more connection of a pool, or one more open file. */
const ALLOWED_MORE = 5;

/** The signs that have grown from the second quarter of a run, when caches and pools are full, to the last one. */
export function growthOf(samples: readonly VitalSigns[]): readonly string[] {
  const quarter = Math.floor(samples.length / 4);
  const [warm, end] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const medianOf = (part: readonly VitalSigns[], name: string) =>
    median(part.map((signs) => signs[name] ?? Number.NaN));
  return Object.keys(samples[0] ?? {}).flatMap((name) => {
    const [before, after] = [medianOf(warm, name), medianOf(end, name)];
    const isFlat = after <= before * ALLOWED_GROWTH || after <= before + ALLOWED_MORE;
    return isFlat ? [] : [`${name}: ${before.toFixed(0)} at first, ${after.toFixed(0)} at the end`];
  });
}

/** The signs that exceeded the promise at any time in the last quarter of a run. */
export function excessOf(samples: readonly VitalSigns[], promised: VitalSigns): readonly string[] {
  const end = samples.slice(-Math.floor(samples.length / 4));
  return Object.entries(promised).flatMap(([name, most]) => {
    const highest = Math.max(...end.map((signs) => signs[name] ?? Number.NaN));
    return highest <= most ? [] : [`${name}: ${highest.toFixed(0)}, at most ${most} expected`];
  });
}
