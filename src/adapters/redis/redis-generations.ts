import type { RaisedGeneration } from '../../domain/model/raised-generation.js';
import type { Generations } from '../../domain/ports/generations.js';
import type { PublishedGenerations } from '../../domain/ports/published-generations.js';
import { generationName } from './key-names.js';
import type { RedisGuard } from './redis-guard.js';
import type { RedisRequestLog } from './redis-request-log.js';
import { RedisScript } from './redis-script.js';

const KEPT_SECONDS = 24 * 60 * 60;

/** Two publishers may overtake each other: the higher generation stays. */
const PUBLISH = new RedisScript(`
  local shown = tonumber(redis.call('GET', KEYS[1]))
  if not shown or shown < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  end
`);

/** What stands on the list of published generations; null: nothing, or it cannot be seen. */
export function publishedGenerationsShown(guard: RedisGuard, organizationId: string): Promise<string | null> {
  const name = generationName(organizationId);
  return guard.run<string | null>(
    (redis) => redis.get(name),
    () => null,
    name,
  );
}

/**
 * The list of published generations that all processes look at. What it does not show is asked of the read tables, and so is everything while Redis is away and
 * until the list of published generations has been mended after that.
 */
export class RedisGenerations implements Generations, PublishedGenerations {
  #trusted = true;
  #timesDistrusted = 0;

  constructor(
    private readonly guard: RedisGuard,
    private readonly readTables: Generations,
    /** Its commands bring generations along. */
    private readonly requests: RedisRequestLog | null = null,
  ) {}

  /** The list of published generations may be behind: it is not believed until `trust`. */
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
      ? await (arriving ?? publishedGenerationsShown(this.guard, organizationId))
      : null;
    const isOne = shown !== null && shown !== '' && Number.isSafeInteger(Number(shown));
    // On its way while the list of published generations was lost: it may come of what is there instead.
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
    return this.guard.run<boolean>(
      async (redis) => {
        await PUBLISH.run(redis, [name], [generation, KEPT_SECONDS]);
        return true;
      },
      () => false,
      name,
    );
  }
}
