import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { Generations } from '../../domain/ports/generations.js';
import type { PublishedGenerations } from '../../domain/ports/published-generations.js';
import { generationName } from './key-names.js';
import type { RedisBreaker } from './redis-breaker.js';
import type { RedisRequestLog } from './redis-request-log.js';
import { RedisScript } from './redis-script.js';

const EXPIRY_SECONDS = 24 * 60 * 60;

/** Two publishers may overtake each other, so the higher generation is kept. */
const PUBLISH = new RedisScript(`
  local shown = tonumber(redis.call('GET', KEYS[1]))
  if not shown or shown < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  end
`);

/** The published generation; null: there is none, or it cannot be read. */
export function publishedGeneration(breaker: RedisBreaker, organizationId: string): Promise<string | null> {
  const name = generationName(organizationId);
  return breaker.run<string | null>(
    (redis) => redis.get(name),
    () => null,
    name,
  );
}

/**
 * The list of published generations that all processes read. Generations that it lacks are read from the read tables. So are all
 * generations while Redis is unavailable, and after that until the list has been republished.
 */
export class RedisGenerations implements Generations, PublishedGenerations {
  #trusted = true;
  #timesDistrusted = 0;

  constructor(
    private readonly breaker: RedisBreaker,
    private readonly readTables: Generations,
    /** Its commands also return generations. */
    private readonly requests: RedisRequestLog | null = null,
  ) {}

  /** The list of published generations may be out of date: it is not used until `trust`. */
  distrust(): void {
    this.#trusted = false;
    this.#timesDistrusted++;
  }

  trust(): void {
    this.#trusted = true;
  }

  async current(organizationId: string): Promise<number> {
    const before = this.#timesDistrusted;
    const arriving = this.#trusted ? this.requests?.arrivingGeneration(organizationId) : null;
    const shown = this.#trusted
      ? await (arriving ?? publishedGeneration(this.breaker, organizationId))
      : null;
    const isOne = shown !== null && shown !== '' && Number.isSafeInteger(Number(shown));
    // The reply may come from a list that was replaced in the meantime.
    if (isOne && before === this.#timesDistrusted) return Number(shown);
    const generation = await this.readTables.current(organizationId);
    await this.publish([{ organizationId, generation }]);
    return generation;
  }

  async publish(raised: readonly RaisedGeneration[]): Promise<boolean> {
    const published = await Promise.all(raised.map((each) => this.#publishOne(each)));
    return published.every((reached) => reached);
  }

  #publishOne({ organizationId, generation }: RaisedGeneration): Promise<boolean> {
    const name = generationName(organizationId);
    return this.breaker.run<boolean>(
      async (redis) => {
        await PUBLISH.run(redis, [name], [generation, EXPIRY_SECONDS]);
        return true;
      },
      () => false,
      name,
    );
  }
}
