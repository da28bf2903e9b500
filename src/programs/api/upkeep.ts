import { KEPT_CONNECTIONS, openConnections } from '../../adapters/postgres/connection/read-database.js';
import type { PrimaryIdentity } from '../../adapters/postgres/replicas/primary-identity.js';
import type { Replica } from '../../adapters/postgres/replicas/replica.js';
import type { RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import { inOrder, RepeatedTask, type Upkeep } from '../../adapters/system/upkeep.js';
import type { ExtendedContainer } from '../../composition/extensions/extend.js';
import type { ApiNeeds } from '../../composition/extensions/ports-of-programs.js';
import { TOKENS } from '../../composition/tokens.js';
import type { PolledServer } from '../../domain/admission/polled-server.js';
import type { Log } from '../../domain/ports/log.js';

/** An answer shows no generation that is a quarter of a second older than the read tables. */
const POLL_EVERY_MS = 100;
const PROBE_EVERY_MS = 500;

/** Background tasks of the API for the adapters in use. */
export function apiUpkeep(extended: ExtendedContainer, needs: ApiNeeds): Upkeep {
  const { container } = extended;
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
  if (needs.redis || needs.redisAnswers) parts.push(redisUpkeep(container, needs));
  parts.push(generationUpkeep(container, log));
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

/** Connects before the first request. */
function redisUpkeep(container: ExtendedContainer['container'], needs: ApiNeeds): Upkeep {
  const limits = needs.redis ? [container.get(TOKENS.redisBreaker)] : [];
  const answers = needs.redisAnswers ? [container.get(TOKENS.redisAnswersBreaker)] : [];
  return inOrder([connecting(answers), connecting(limits)]);
}

function generationUpkeep(container: ExtendedContainer['container'], log: Log): Upkeep {
  const [primary, ...replicas] = container.get(TOKENS.polledServers);
  const pollOf = (server: PolledServer, where: string) =>
    new RepeatedTask(`reading raised generations from ${where}`, POLL_EVERY_MS, () => server.poll(), log);
  return inOrder([
    pollOf(primary, 'the read tables'),
    ...replicas.map((replica) => pollOf(replica, 'a read replica')),
  ]);
}

/** What is done before the first request, and needs no stop. */
function atStart(task: () => Promise<unknown>): Upkeep {
  return { start: async () => void (await task()), stop: async () => {} };
}

function connecting(breakers: readonly RedisBreaker[]): Upkeep {
  return atStart(() => Promise.all(breakers.map((breaker) => breaker.connected())));
}
