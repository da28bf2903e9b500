import type { InstallationWatch } from '../../adapters/redis/installation-watch.js';
import type { RedisBreaker } from '../../adapters/redis/redis-breaker.js';
import type { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import { inOrder, RepeatedTask, type Upkeep } from '../../adapters/system/upkeep.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Log } from '../../domain/ports/log.js';
import type { PublishedGenerations } from '../../domain/ports/published-generations.js';
import { RepublishGenerations } from '../../domain/sync/republish-generations.js';

const REPUBLISH_EVERY_MS = 1_000;
/** For losses that no event reports: a node that restarted with older data, or a late commit. */
const WALK_EVERY_MS = 180_000;

/** Republishes generations to a list of published generations that accepts them at once or reports that it did not. */
export function republishingUpkeep(
  table: GenerationHistory,
  published: PublishedGenerations,
  log: Log,
): Upkeep {
  const republisher = new RepublishGenerations(table, published);
  return inOrder([
    new RepeatedTask(
      'requesting that all generations are republished',
      WALK_EVERY_MS,
      async () => republisher.restart(),
      log,
    ),
    new RepeatedTask(
      'publishing generations',
      REPUBLISH_EVERY_MS,
      async () => void (await republisher.run()),
      log,
    ),
  ]);
}

/** Every process republishes for all others. Any single one is sufficient. */
export function redisRepublishingUpkeep(
  breaker: RedisBreaker,
  generations: RedisGenerations,
  table: GenerationHistory,
  installation: InstallationWatch,
  log: Log,
  walkEveryMs = WALK_EVERY_MS,
): Upkeep {
  const republisher = new RepublishGenerations(table, generations);
  const startOver = () => {
    generations.distrust();
    republisher.restart();
  };
  const republish = async () => {
    await installation.refresh();
    if (await republisher.run()) generations.trust();
  };
  const republishing = new RepeatedTask('publishing generations', REPUBLISH_EVERY_MS, republish, log);
  const walk = async () => republisher.restart();
  const walking = new RepeatedTask('requesting that all generations are republished', walkEveryMs, walk, log);
  breaker.onConnect(startOver);
  startOver();
  return {
    start: async () => {
      await breaker.connected();
      await walking.start();
      await republishing.start();
    },
    stop: async () => void (await Promise.all([walking.stop(), republishing.stop()])),
  };
}
