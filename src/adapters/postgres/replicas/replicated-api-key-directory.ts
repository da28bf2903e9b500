import { setTimeout as pause } from 'node:timers/promises';
import type { KnownKey } from '../../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../../domain/ports/api-key-directory.js';
import { BatchedQuery } from '../connection/batched-query.js';
import { type FoundKey, findKeys } from '../read/postgres-api-key-directory.js';
import { MAX_READ_MS, type Replica, withTimeLimit } from './replica.js';

/** Many times the time that a healthy primary takes. */
const REPLICAS_AFTER_MS = 250;

const NOT_NEW_ENOUGH = 'No replica has this key in a state that is new enough';

interface ReplicaOfKeys {
  readonly replica: Replica;
  readonly keys: BatchedQuery<FoundKey>;
  readonly keysAsLastResort: BatchedQuery<FoundKey>;
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
      keysAsLastResort: new BatchedQuery((hashes) =>
        replica.readAsLastResort((database) => findKeys(database, hashes), MAX_READ_MS),
      ),
    }));
  }

  async find(hash: string, since: number): Promise<KnownKey | null> {
    const begunAt = performance.now();
    const onPrimary = (async () => this.primary.find(hash, since))();
    try {
      return await Promise.any([onPrimary, this.#onReplicas(onPrimary, hash, since)]);
    } catch {
      const withinMs = begunAt + MAX_READ_MS - performance.now();
      if (withinMs <= 0) return onPrimary;
      // If this fails too, the primary's failure is the reason to report.
      return withTimeLimit(this.#asLastResort(hash, since), withinMs, 'a read').catch(() => onPrimary);
    }
  }

  async #onReplicas(
    onPrimary: Promise<KnownKey | null>,
    hash: string,
    since: number,
  ): Promise<KnownKey | null> {
    if (await settlesInTime(onPrimary)) return onPrimary;
    for (const { replica, keys } of this.#replicas.toSorted(byLoad)) {
      if (!replica.canServe(since)) continue;
      const replicaKey = await findOn(replica, keys, hash);
      if (replicaKey === undefined) continue;
      const { key, generation } = replicaKey;
      replica.answered(generation >= since);
      if (generation >= since) return { key, generation };
    }
    throw new Error(NOT_NEW_ENOUGH);
  }

  /** Others may miss their probes under load and still answer. */
  async #asLastResort(hash: string, since: number): Promise<KnownKey> {
    const candidates = this.#replicas.filter(({ replica }) => replica.mayHave(since));
    const reads = candidates.map(async ({ replica, keysAsLastResort }) => {
      const key = await keysAsLastResort.get(hash);
      if (key === undefined || key.generation < since) throw new Error(NOT_NEW_ENOUGH);
      replica.answered(true);
      return { key: key.key, generation: key.generation };
    });
    return Promise.any(reads);
  }
}

function byLoad(one: ReplicaOfKeys, other: ReplicaOfKeys): number {
  return one.replica.load - other.replica.load;
}

async function findOn(
  replica: Replica,
  keys: BatchedQuery<FoundKey>,
  hash: string,
): Promise<FoundKey | undefined> {
  try {
    return await keys.get(hash);
  } catch {
    void replica.probe();
    return undefined;
  }
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
