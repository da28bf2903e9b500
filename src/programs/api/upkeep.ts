import type { PrimaryIdentity } from '../../adapters/postgres/primary-identity.js';
import { KEPT_CONNECTIONS, openConnections } from '../../adapters/postgres/read-database.js';
import type { Replica } from '../../adapters/postgres/replica.js';
import { InstallationWatch } from '../../adapters/redis/installation-watch.js';
import type { RedisBreaker } from '../../adapters/redis/redis-breaker.js';
import { inOrder, RepeatedTask, type Upkeep } from '../../adapters/system/upkeep.js';
import type { ExtendedContainer } from '../../composition/extensions/extend.js';
import type { ApiNeeds } from '../../composition/extensions/ports-of-programs.js';
import { TOKENS } from '../../composition/tokens.js';
import type { Log } from '../../domain/ports/log.js';
import { redisRepublishingUpkeep, republishingUpkeep } from './republishing-upkeep.js';

const NAME_EVERY_MS = 1_000;
const PROBE_EVERY_MS = 500;

/** Background tasks of the API for the adapters in use. */
export function apiUpkeep(extended: ExtendedContainer, needs: ApiNeeds): Upkeep {
  const { container, replaced } = extended;
  const log = container.get(TOKENS.log);
  const parts: Upkeep[] = [];
  const database = container.get(TOKENS.readDatabase, { optional: true });
  if (database !== undefined && needs.readDatabase.length > 0) {
    // The API starts even if they cannot be opened.
    parts.push(atStart(() => openConnections(database, KEPT_CONNECTIONS).catch(() => {})));
  }
  const replicas = container.get(TOKENS.replicas, { optional: true }) ?? [];
  if (replicas.length > 0) {
    parts.push(replicaUpkeep(replicas, container.get(TOKENS.primaryIdentity), log));
  }
  if (needs.redis || needs.redisAnswers) parts.push(redisUpkeep(extended, needs, log));
  if (replaced.has(TOKENS.publishedGenerations)) {
    const table = container.get(TOKENS.generationTable);
    parts.push(republishingUpkeep(table, container.get(TOKENS.publishedGenerations), log));
  }
  return inOrder(parts);
}

/** Probes the replicas before the first request. */
function replicaUpkeep(replicas: readonly Replica[], primary: PrimaryIdentity, log: Log): Upkeep {
  const probeAll = async () => void (await Promise.all(replicas.map((replica) => replica.probe())));
  return inOrder([
    new RepeatedTask(
      'identifying the primary of the read replicas',
      PROBE_EVERY_MS,
      () => primary.refresh(),
      log,
    ),
    new RepeatedTask('probing the read replicas', PROBE_EVERY_MS, probeAll, log),
  ]);
}

/** Connects before the first request, and puts the name of the read tables into the keys. */
function redisUpkeep({ container, replaced }: ExtendedContainer, needs: ApiNeeds, log: Log): Upkeep {
  const limits = needs.redis ? [container.get(TOKENS.redisBreaker)] : [];
  const answers = needs.redisAnswers ? [container.get(TOKENS.redisAnswersBreaker)] : [];
  const installation = new InstallationWatch([...limits, ...answers], container.get(TOKENS.installation));
  const [breaker] = limits;
  const upkeep =
    breaker !== undefined && !replaced.has(TOKENS.generations)
      ? redisRepublishingUpkeep(
          breaker,
          container.get(TOKENS.redisGenerations),
          container.get(TOKENS.generationTable),
          installation,
          log,
        )
      : new RepeatedTask('naming what is in Redis', NAME_EVERY_MS, () => installation.refresh(), log);
  return inOrder([connecting(answers), connecting(limits), upkeep]);
}

/** What is done before the first request, and needs no stop. */
function atStart(task: () => Promise<unknown>): Upkeep {
  return { start: async () => void (await task()), stop: async () => {} };
}

function connecting(breakers: readonly RedisBreaker[]): Upkeep {
  return atStart(() => Promise.all(breakers.map((breaker) => breaker.connected())));
}
