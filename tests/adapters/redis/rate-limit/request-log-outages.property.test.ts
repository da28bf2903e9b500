import { expect } from 'chai';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { requestLogName } from '../../../../src/adapters/redis/connection/key-names.js';
import type { RedisRequestLog } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { ProcessMetrics } from '../../../../src/adapters/system/process-metrics.js';
import { newKey } from '../../../../src/contracts/limits/request-log.keys.js';
import type { WindowState } from '../../../../src/domain/model/window.js';
import { SettableClock } from '../../../support/clock/settable-clock.js';
import { plainClient } from '../../../support/postgres/plain-client.js';
import { withClock } from '../../../support/redis/redis-with-clock.js';
import { requestLogOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';
import { FaultyRedis, type Outcome } from './faulty-redis.js';

const START = Date.UTC(2026, 0, 15, 12);
const WINDOW = { limit: 4, lengthMs: 60_000 };
const PROCESSES = [0, 1] as const;

type Which = (typeof PROCESSES)[number];
type Event =
  | { readonly kind: 'request'; readonly by: Which; readonly outcome: Outcome }
  | { readonly kind: 'run delayed' }
  | { readonly kind: 'restarts empty' | 'restarts with an old snapshot' | 'loses all silently' }
  | { readonly kind: 'fails over'; readonly lost: number; readonly clockStep: number }
  | { readonly kind: 'clock is set'; readonly clockStep: number };
interface Step {
  readonly after: number;
  readonly event: Event;
}

const aRequest = (...outcomes: Outcome[]) =>
  fc.record({
    kind: fc.constant('request' as const),
    by: fc.constantFrom(...PROCESSES),
    outcome: fc.constantFrom(...outcomes),
  });
const anyRequest = aRequest(
  'answered',
  'answered',
  'unavailable',
  'not executed',
  'executed, unread',
  'read late',
  'executed late',
);
const clockStep = fc.oneof(
  fc.integer({ min: -5_000, max: 5_000 }),
  fc.integer({ min: -90_000, max: 90_000 }),
);
const aFault: fc.Arbitrary<Event> = fc.oneof(
  fc.constant({ kind: 'run delayed' as const }),
  fc.record({
    kind: fc.constantFrom(
      'restarts empty' as const,
      'restarts with an old snapshot' as const,
      'loses all silently' as const,
    ),
  }),
  fc.record({ kind: fc.constant('fails over' as const), lost: fc.integer({ min: 0, max: 4 }), clockStep }),
  fc.record({ kind: fc.constant('clock is set' as const), clockStep }),
);
const soon = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900 }));
const whenever = fc.oneof(soon, fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(59_999, 60_000, 60_001));

describe('RedisRequestLog, in any outage,', function () {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  let clocked: ReturnType<typeof withClock>;

  before(() => {
    clocked = withClock(new Redis(redis().url));
  });

  after(() => clocked?.client.disconnect());

  /** Two processes and one Redis, whose clocks run at the same rate and show different times. */
  class World {
    readonly key = newKey();
    readonly accepted: Record<Which, number[]> = { 0: [], 1: [] };
    readonly redisOf = [new FaultyRedis(clocked.client), new FaultyRedis(clocked.client)] as const;
    readonly #clocks = [new SettableClock(START + 7_000), new SettableClock(START - 3_000)] as const;
    readonly #logs = PROCESSES.map((n) =>
      requestLogOn(this.redisOf[n], { clock: this.#clocks[n], metrics: new ProcessMetrics() }),
    );
    readonly #name = requestLogName(this.key.organizationId, this.key.id);
    #now = START;
    #clockStep = 0;
    #snapshot: string[] = [];

    async pass(millis: number): Promise<void> {
      this.#now += millis;
      for (const clock of this.#clocks) clock.advance(millis);
      await clocked.setTime(this.#now + this.#clockStep);
    }

    async request(by: Which, outcome: Outcome): Promise<WindowState> {
      this.redisOf[by].outcome = outcome;
      const state = await (this.#logs[by] as RedisRequestLog).record(this.key, WINDOW);
      if (state.accepted) this.accepted[by].push(this.#now);
      this.redisOf[by].outcome = 'answered';
      await this.settled();
      return state;
    }

    async apply(event: Event): Promise<void> {
      if (event.kind === 'request') await this.request(event.by, event.outcome);
      else if (event.kind === 'run delayed') this.runDelayed();
      else if (event.kind === 'clock is set') await this.#setClock(event.clockStep);
      else await this.#loseData(event);
      await this.settled();
    }

    runDelayed(): void {
      for (const each of this.redisOf) each.runDelayed();
    }

    async settled(): Promise<void> {
      for (const each of this.redisOf) await each.settled();
    }

    async #loseData(
      event: Exclude<Event, { kind: 'request' | 'run delayed' | 'clock is set' }>,
    ): Promise<void> {
      const before = await client().lrange(this.#name, 0, -1);
      if (event.kind === 'fails over') {
        await this.#store(before.slice(0, Math.max(0, before.length - event.lost)));
        await this.#setClock(event.clockStep);
      } else {
        await this.#store(event.kind === 'restarts with an old snapshot' ? this.#snapshot : []);
        this.#snapshot = before;
      }
      if (event.kind !== 'loses all silently') await this.settled();
    }

    async #store(marks: readonly string[]): Promise<void> {
      await client().del(this.#name);
      if (marks.length > 0) await client().rpush(this.#name, ...marks);
    }

    async #setClock(step: number): Promise<void> {
      this.#clockStep += step;
      await this.pass(0);
    }
  }

  async function worldAfter(steps: readonly Step[]): Promise<World> {
    const world = new World();
    await world.pass(0);
    for (const { after, event } of steps) {
      await world.pass(after);
      await world.apply(event);
    }
    return world;
  }

  it('lets no process accept more than the limit in any window of its own time', async () => {
    const event = fc.oneof({ weight: 3, arbitrary: anyRequest }, { weight: 1, arbitrary: aFault });
    const after = fc.oneof({ weight: 4, arbitrary: soon }, { weight: 1, arbitrary: whenever });
    const steps = fc.array(fc.record({ after, event }), { minLength: 20, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { accepted } = await worldAfter(steps);
        for (const times of Object.values(accepted)) {
          for (const from of times) {
            const inWindow = times.filter((time) => time >= from && time < from + WINDOW.lengthMs);
            expect(inWindow.length).to.be.at.most(WINDOW.limit);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('admits a refused caller that waited as long as requested, with and without Redis', async () => {
    const outcome = fc.constantFrom<Outcome>('answered', 'unavailable');
    const given = outcome.chain((each) =>
      fc.record({
        outcome: fc.constant(each),
        steps: fc.array(fc.record({ after: whenever, event: aRequest(each) }), { maxLength: 20 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(given, fc.constantFrom(...PROCESSES), async ({ steps, outcome }, by) => {
        const world = await worldAfter(steps);
        await world.settled();
        for (let state = await world.request(by, outcome); ; state = await world.request(by, outcome)) {
          if (state.accepted) continue;
          const wait = state.blockingAt + WINDOW.lengthMs - state.now;
          expect(wait).to.be.within(1, WINDOW.lengthMs);
          await world.pass(wait);
          expect((await world.request(by, outcome)).accepted).to.equal(true);
          break;
        }
      }),
      { numRuns: 60 },
    );
  });
});
