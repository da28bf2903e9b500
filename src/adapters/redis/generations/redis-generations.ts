import type { RaisedGeneration } from '../../../domain/model/read-model.js';
import type { PublishedGenerations } from '../../../domain/ports/reading/published-generations.js';
import { generationName, probeName } from '../connection/key-names.js';
import type { RedisBreaker, RedisPurpose } from '../connection/redis-breaker.js';
import { RedisScript } from '../connection/redis-script.js';
import { LIMITS, type RecordReply, type RedisRequestLog } from '../rate-limit/redis-request-log.js';

const EXPIRY_SECONDS = 24 * 60 * 60;

/** Two publishers may overtake each other, so the higher generation is kept. */
const PUBLISH = new RedisScript(`
  local shown = tonumber(redis.call('GET', KEYS[1]))
  if not shown or shown < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  end
`);

/** For a process that only publishes. */
export const PUBLISHING: RedisPurpose = {
  ...LIMITS,
  // A higher generation than that of the last probe, or nothing would be written.
  probe: (redis, name) => PUBLISH.run(redis, [probeName(name, 'generation')], [Date.now(), 1]),
};

export class RedisGenerations implements PublishedGenerations {
  constructor(
    private readonly breaker: RedisBreaker,
    /** Its commands also return generations. */
    private readonly requests: Pick<RedisRequestLog, 'arrivingGeneration'> | null = null,
  ) {}

  async published(organizationId: string): Promise<number | null> {
    const reply = await (this.requests?.arrivingGeneration(organizationId) ?? this.#get(organizationId));
    if (reply === null || reply.generation === '') return null;
    const generation = Number(reply.generation ?? 0);
    return Number.isSafeInteger(generation) ? generation : null;
  }

  async publish(raised: readonly RaisedGeneration[]): Promise<void> {
    await Promise.all(raised.map((raise) => this.#publishOne(raise)));
  }

  #get(organizationId: string): Promise<Pick<RecordReply, 'generation'> | null> {
    const name = generationName(organizationId);
    return this.breaker.run<Pick<RecordReply, 'generation'> | null>(
      async (redis) => ({ generation: await redis.get(name) }),
      () => null,
      name,
    );
  }

  #publishOne({ organizationId, generation }: RaisedGeneration): Promise<unknown> {
    const name = generationName(organizationId);
    return this.breaker.run<unknown>(
      (redis) => PUBLISH.run(redis, [name], [generation, EXPIRY_SECONDS]),
      () => null,
      name,
    );
  }
}
