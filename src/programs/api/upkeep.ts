import { KEPT_CONNECTIONS, openConnections } from '../../adapters/postgres/connection/read-database.js';
import type { PrimaryIdentity, Replica } from '../../adapters/postgres/replicas/replica.js';
import { inOrder, RepeatedTask, type Upkeep } from '../../adapters/system/upkeep.js';
import type { Created } from '../../composition/noting-created.js';
import { TOKENS } from '../../composition/tokens.js';
import type { PolledServer } from '../../domain/admission/polled-generations.js';
import type { Log } from '../../domain/ports/log.js';

/** An answer shows no generation that is a quarter of a second older than the read tables. */
const POLL_EVERY_MS = 100;
const PROBE_EVERY_MS = 500;

/** Background tasks of the API for the adapters in use. */
export function apiUpkeep({ container, find }: Created): Upkeep {
  const log = container.get(TOKENS.log);
  const parts: Upkeep[] = [];
  const database = find(TOKENS.readDatabase);
  if (database !== null) {
    // The API starts even if they cannot be opened, and while the others are being opened.
    parts.push(
      atStart(async () => {
        await openConnections(database, 1).catch(() => {});
        void openConnections(database, KEPT_CONNECTIONS).catch(() => {});
      }),
    );
  }
  const replicas = find(TOKENS.replicas) ?? [];
  if (replicas.length > 0) {
    parts.push(replicaUpkeep(replicas, container.get(TOKENS.primaryIdentity), log));
  }
  // Connects before the first request.
  for (const token of [TOKENS.redisAnswersBreaker, TOKENS.redisBreaker]) {
    const breaker = find(token);
    if (breaker !== null) parts.push(atStart(() => breaker.connected()));
  }
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

function generationUpkeep(container: Created['container'], log: Log): Upkeep {
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
