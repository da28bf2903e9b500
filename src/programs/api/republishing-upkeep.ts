import type { InstallationWatch } from '../../adapters/redis/installation-watch.js';
import type { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import type { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { inOrder, RepeatedTask, type Upkeep } from '../../adapters/system/upkeep.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Log } from '../../domain/ports/log.js';
import type { PublishedGenerations } from '../../domain/ports/published-generations.js';
import { RepublishGenerations } from '../../domain/sync/republish-generations.js';

const MEND_EVERY_MS = 1_000;
/** For losses that no event reports: a node that restarted with older data, or a late commit. */
const WALK_EVERY_MS = 180_000;

/** Republishes generations to a list of published generations that accepts them at once or reports that it did not. */
export function republishingUpkeep(
  table: GenerationHistory,
  published: PublishedGenerations,
  log: Log,
): Upkeep {
  const mend = new RepublishGenerations(table, published);
  return inOrder([
    new RepeatedTask('walking all generations', WALK_EVERY_MS, async () => mend.startOver(), log),
    new RepeatedTask('publishing generations', MEND_EVERY_MS, async () => void (await mend.run()), log),
  ]);
}

/** Every process republishes for all others. Any single one is sufficient. */
export function redisRepublishingUpkeep(
  guard: RedisGuard,
  generations: RedisGenerations,
  table: GenerationHistory,
  installation: InstallationWatch,
  log: Log,
  walkEveryMs = WALK_EVERY_MS,
): Upkeep {
  const published = new RepublishGenerations(table, generations);
  const startOver = () => {
    generations.distrust();
    published.startOver();
  };
  const mend = async () => {
    await installation.look();
    if (await published.run()) generations.trust();
  };
  const mending = new RepeatedTask('publishing generations', MEND_EVERY_MS, mend, log);
  const walk = async () => published.startOver();
  const walking = new RepeatedTask('walking all generations', walkEveryMs, walk, log);
  guard.onConnect(startOver);
  startOver();
  return {
    start: async () => {
      await guard.connected();
      await walking.start();
      await mending.start();
    },
    stop: async () => void (await Promise.all([walking.stop(), mending.stop()])),
  };
}
