import fc from 'fast-check';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import { Chaos, type Company } from '../chaos.js';
import type { FaultPlan, Faults } from '../fault-plan.js';
import { FreshReader } from '../redis/fresh-reader.js';
import { RedisWatch } from '../world/redis-watch.js';
import { Fleet } from './fleet.js';
import { PublishedWatch } from './published-watch.js';

const LOAD = { tenants: 4, holders: 1 };
/**
 * Tenants in addition to those of the readers: for the greedy client, the editor and the client that watches
 * published edits.
 */
const OTHER_TENANTS = 3;
const FIRST_AFTER_MS = 2_000;
const LASTS_MS = 3_000;
/** The time from the beginning of one fault to the beginning of the next one. */
const EVERY_MS = 9_000;

/** This also holds while a worker is replaced or a database fails over. */
const SEEN_WITHIN_MS = 20_000;

/** A large installation. One part of each kind fails at a time. */
export class FleetChaos {
  private constructor(
    readonly chaos: Chaos,
    private readonly fresh: FreshReader,
    private readonly published: PublishedWatch,
    private readonly watch: RedisWatch,
  ) {}

  static async begin(machine: RedisMachine): Promise<FleetChaos> {
    const fleet = await Fleet.build(machine, LOAD.tenants + OTHER_TENANTS);
    const clientsOf = (company: Company) =>
      [
        new FreshReader(company, fleet.dashboard.tenant(), SEEN_WITHIN_MS),
        new PublishedWatch(company, fleet.dashboard.tenant()),
        new RedisWatch(company),
      ] as const;
    let clients: ReturnType<typeof clientsOf> | null = null;
    const chaos = await Chaos.begin(fleet, {
      ...LOAD,
      clients: async (company) => {
        clients = clientsOf(company);
        return clients;
      },
    });
    if (clients === null) throw new Error('The chaos began without its clients');
    return new FleetChaos(chaos, ...(clients as ReturnType<typeof clientsOf>));
  }

  /** The length of a round in which every part fails once. */
  get roundMs(): number {
    return FIRST_AFTER_MS + EVERY_MS * Object.keys(this.chaos.parts).length;
  }

  plans(seed: number, rounds: number): readonly FaultPlan[] {
    return plansInTurn(seed, rounds, this.chaos.parts);
  }

  figures() {
    return {
      ...this.chaos.figures(),
      edits: this.fresh.edits,
      longestUntilSeenMs: Math.round(this.fresh.longestMs),
      judgedAfterPublication: this.published.judged,
      longestWithoutRedisMs: Math.round(this.watch.longestMs),
    };
  }
}

/** In each round every part fails once. The seed decides the order and the faults. */
function plansInTurn(
  seed: number,
  rounds: number,
  parts: Readonly<Record<string, Faults>>,
): readonly FaultPlan[] {
  const names = Object.keys(parts);
  const order = fc.shuffledSubarray(names, { minLength: names.length });
  const faults = fc.record(
    Object.fromEntries(names.map((name) => [name, fc.constantFrom(...Object.keys(parts[name] ?? {}))])),
  );
  const plan = fc
    .tuple(order, faults)
    .map(
      ([inTurn, chosen]): FaultPlan =>
        Object.fromEntries(
          inTurn.map((name, at) => [
            name,
            [{ afterMs: FIRST_AFTER_MS + at * EVERY_MS, fault: chosen[name] as string, lastsMs: LASTS_MS }],
          ]),
        ),
    );
  return fc.sample(fc.noBias(plan), { seed, numRuns: rounds });
}
