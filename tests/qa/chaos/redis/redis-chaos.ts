import { Dashboard } from '../../../support/dashboards/dashboard.js';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import { Chaos, type Company } from '../chaos.js';
import { type FaultPlan, faultPlans, onlyParts, type Pace } from '../fault-plan.js';
import type { Surroundings } from '../surroundings.js';
import { RedisWatch } from '../world/redis-watch.js';
import { FailingCluster } from './failing-cluster.js';
import { FailingSentinels } from './failing-sentinels.js';
import { FreshReader } from './fresh-reader.js';

const LOAD = { tenants: 6, holders: 2 };
/** Tenants in addition to those of the readers: for the greedy client and the editor. */
const OTHER_TENANTS = 2;
/** All processes have reconnected before the next fault, so that the shared state is tested, too. */
const PACE: Pace = { afterMs: { min: 3_000, max: 6_000 } };

/**
 * The time until an edit is shown, and until a process has reconnected. The promise is two seconds; the rest is for a
 * busy computer.
 */
const TIMEOUT_MS = 6_000;

const KINDS = { cluster: FailingCluster, sentinel: FailingSentinels };
export type RedisKind = keyof typeof KINDS;

/** An installation under load on several Redis servers. They fail over while everything else keeps working. */
export class RedisChaos {
  private constructor(
    readonly chaos: Chaos,
    private readonly fresh: FreshReader,
    private readonly watch: RedisWatch,
  ) {}

  static async begin(machine: RedisMachine, kind: RedisKind, timeoutMs = TIMEOUT_MS): Promise<RedisChaos> {
    const dashboard = await Dashboard.create(LOAD.tenants + OTHER_TENANTS);
    const redis = await KINDS[kind].start(machine);
    const { readDatabaseUrl, writeDatabaseUrl } = dashboard;
    const surroundings: Surroundings = {
      dashboard,
      databaseUrls: { READ_DATABASE_URL: readDatabaseUrl, WRITE_DATABASE_URL: writeDatabaseUrl },
      redisUrl: redis.url,
      // Long enough for a window to outlast an outage.
      limit: { max: 160, windowMs: 4_000 },
      parts: { redis: redis.faults },
      settle: async () => {},
      forget: () => redis.forget(),
      stop: () => redis.stop(),
    };
    const clients: [FreshReader, RedisWatch][] = [];
    const chaos = await Chaos.begin(surroundings, {
      ...LOAD,
      clients: async (company: Company) => {
        const both = [
          new FreshReader(company, dashboard.tenant(), timeoutMs),
          new RedisWatch(company, timeoutMs),
        ] as const;
        clients.push([...both]);
        return both;
      },
    });
    const [fresh, watch] = clients[0] as [FreshReader, RedisWatch];
    return new RedisChaos(chaos, fresh, watch);
  }

  plans(seed: number, rounds: number): readonly FaultPlan[] {
    return faultPlans(seed, rounds, this.chaos.parts, PACE).map((plan) => onlyParts(plan, ['redis']));
  }

  figures() {
    return {
      ...this.chaos.figures(),
      edits: this.fresh.edits,
      longestUntilSeenMs: Math.round(this.fresh.longestMs),
      longestWithoutRedisMs: Math.round(this.watch.longestMs),
    };
  }
}
