import type { PrimaryIdentity } from '../adapters/postgres/primary-identity.js';
import type { Replica } from '../adapters/postgres/replica.js';
import { inOrder, RepeatedTask, type Upkeep } from '../adapters/system/upkeep.js';
import type { Log } from '../domain/ports/log.js';

const PROBE_EVERY_MS = 500;

/** The first request finds the replicas probed. */
export function replicaUpkeep(
  replicas: readonly Replica[],
  primary: Pick<PrimaryIdentity, 'look'>,
  log: Log,
): Upkeep {
  const probeAll = async () => void (await Promise.all(replicas.map((replica) => replica.probe())));
  const identify = async () => void (await primary.look());
  return inOrder([
    new RepeatedTask('identifying the primary of the read replicas', PROBE_EVERY_MS, identify, log),
    new RepeatedTask('probing the read replicas', PROBE_EVERY_MS, probeAll, log),
  ]);
}
