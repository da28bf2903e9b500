import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import { Chaos } from '../chaos.js';
import { type FaultPlan, faultPlans, type Pace } from '../fault-plan.js';
import { MovingWorld, type WorldOptions } from './moving-world.js';

/** Low load: the changes around the programs need much of the computer, and the promises hold at any load. */
const LOAD = { tenants: 3, holders: 1 };
/** Long enough to complete a failover before the next one of the same server. */
const PACE: Pace = { afterMs: { min: 2_000, max: 12_000 } };

/** An installation under load whose surroundings change. */
export class WorldChaos {
  private constructor(
    readonly world: MovingWorld,
    readonly chaos: Chaos,
  ) {}

  static async begin(machine: RedisMachine, options: Omit<WorldOptions, 'tenants'>): Promise<WorldChaos> {
    const world = await MovingWorld.build(machine, { ...options, ...LOAD });
    const clients = world.clients.bind(world);
    const chaos = await Chaos.begin(world, { clients, ...LOAD });
    return new WorldChaos(world, chaos);
  }

  plans(seed: number, rounds: number): readonly FaultPlan[] {
    return faultPlans(seed, rounds, this.world.parts, PACE);
  }

  figures() {
    return { ...this.chaos.figures(), ...this.world.figures() };
  }
}
