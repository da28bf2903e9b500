import { setTimeout as pause } from 'node:timers/promises';
import type { KnownKey } from '../../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../../domain/ports/reading/api-key-directory.js';
import { BatchedQuery } from '../read/batched-query.js';
import { type FoundKey, findKeys } from '../read/postgres-api-key-directory.js';
import type { Replica } from './replica.js';

/** Many times the time that a healthy primary takes. */
const REPLICAS_AFTER_MS = 250;

const NOT_NEW_ENOUGH = 'No replica has this key in a state that is new enough';

interface ReplicaOfKeys {
  readonly replica: Replica;
  readonly keys: BatchedQuery<FoundKey>;
}

/**
 * Asks replicas if the primary fails or is slow. A replica is trusted only if it shows the key at
 * the required generation, which each change of a key raises. That it lacks a key proves nothing.
 */
export class ReplicatedApiKeyDirectory implements ApiKeyDirectory {
  readonly #replicas: readonly ReplicaOfKeys[];

  constructor(
    private readonly primary: ApiKeyDirectory,
    replicas: readonly Replica[],
  ) {
    this.#replicas = replicas.map((replica) => ({
      replica,
      keys: new BatchedQuery((hashes) => replica.read((database) => findKeys(database, hashes))),
    }));
  }

  async find(hash: string, since: number): Promise<KnownKey | null> {
    const onPrimary = (async () => this.primary.find(hash, since))();
    // If both fail, the primary's failure is the reason to report.
    return Promise.any([onPrimary, this.#onReplicas(onPrimary, hash, since)]).catch(() => onPrimary);
  }

  async #onReplicas(
    onPrimary: Promise<KnownKey | null>,
    hash: string,
    since: number,
  ): Promise<KnownKey | null> {
    if (await settlesInTime(onPrimary)) return onPrimary;
    for (const { replica, keys } of this.#replicas.toSorted(byLoad)) {
      if (!replica.canServe(since)) continue;
      const replicaKey = await keys.get(hash).catch(() => undefined);
      if (replicaKey === undefined) continue;
      const { key, generation } = replicaKey;
      if (generation < since) continue;
      replica.countAnswer();
      return { key, generation };
    }
    throw new Error(NOT_NEW_ENOUGH);
  }
}

function byLoad(one: ReplicaOfKeys, other: ReplicaOfKeys): number {
  return one.replica.load - other.replica.load;
}

async function settlesInTime(result: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      result.then(
        () => true,
        () => false,
      ),
      pause(REPLICAS_AFTER_MS, false, { signal: timer.signal }),
    ]);
  } finally {
    timer.abort();
  }
}
