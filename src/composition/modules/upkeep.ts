import { ContainerModule, type ResolutionContext } from 'inversify';
import { InstallationWatch } from '../../adapters/redis/installation-watch.js';
import type { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { inOrder, RepeatedTask, type Upkeep } from '../../adapters/system/upkeep.js';
import type { ApiNeeds, Replacements } from '../extensions/ports-of-programs.js';
import { replicaUpkeep } from '../replica-upkeep.js';
import { redisRepublishingUpkeep, republishingUpkeep } from '../republishing-upkeep.js';
import { TOKENS } from '../tokens.js';

const NAME_EVERY_MS = 1_000;

/** What the API does beside its requests, for the adapters that it has. */
export function upkeep(needs: ApiNeeds, replaced: Replacements): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.upkeep).toDynamicValue((context) => {
      const parts: Upkeep[] = [];
      const replicas = context.get(TOKENS.replicas, { optional: true }) ?? [];
      if (replicas.length > 0) {
        parts.push(replicaUpkeep(replicas, context.get(TOKENS.primaryIdentity), context.get(TOKENS.log)));
      }
      if (needs.redis || needs.redisAnswers) parts.push(redisUpkeep(context, needs, replaced));
      if (replaced.has(TOKENS.publishedGenerations)) {
        const { get } = context;
        parts.push(
          republishingUpkeep(get(TOKENS.generationTable), get(TOKENS.publishedGenerations), get(TOKENS.log)),
        );
      }
      return inOrder(parts);
    });
  });
}

/** The first request finds the connections there, and all that goes over them under the name of the read tables. */
function redisUpkeep({ get }: ResolutionContext, needs: ApiNeeds, replaced: Replacements): Upkeep {
  const limits = needs.redis ? [get(TOKENS.redisGuard)] : [];
  const answers = needs.redisAnswers ? [get(TOKENS.redisAnswersGuard)] : [];
  const installation = new InstallationWatch([...limits, ...answers], get(TOKENS.installation));
  const [guard] = limits;
  const log = get(TOKENS.log);
  const upkeep =
    guard !== undefined && !replaced.has(TOKENS.generations)
      ? redisRepublishingUpkeep(
          guard,
          get(TOKENS.redisGenerations),
          get(TOKENS.generationTable),
          installation,
          log,
        )
      : new RepeatedTask('naming what is in Redis', NAME_EVERY_MS, () => installation.look(), log);
  return inOrder([connecting(answers), connecting(limits), upkeep]);
}

function connecting(guards: readonly RedisGuard[]): Upkeep {
  return {
    start: async () => void (await Promise.all(guards.map((guard) => guard.connected()))),
    stop: async () => {},
  };
}
