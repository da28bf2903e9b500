import { DomainError } from '../../domain/errors.js';
import type { ApiKey, KnownKey } from '../../domain/model/api-key.js';
import type { Verdict } from '../../domain/policies/sliding-window.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Authentication, ReadGeneration } from './authentication.js';
import type { FollowedGenerations } from './followed-generations.js';
import type { RateLimit } from './rate-limit.js';

const MAX_WAIT_MS = 1_000;
const PAUSE_MS = 25;

export interface AdmissionRequest {
  /** The key that the caller sent. Null if it sent none. */
  readonly key: string | null;
  /** The lowest generation that the caller wants to see, if it is reached soon. */
  readonly minGeneration: number;
}

export interface Admission extends ReadGeneration {
  readonly key: ApiKey;
  readonly verdict: Verdict;
}

/** A failure after the request was counted, with the verdict for its headers. */
export class CountedFailure extends Error {
  override readonly name = 'CountedFailure';

  constructor(
    readonly verdict: Verdict,
    cause: unknown,
  ) {
    super('A request failed after it was counted', { cause });
  }
}

/** Decides before anything else: is the key valid, now as well, and has its window room? */
export class Admissions {
  constructor(
    private readonly authentication: Authentication,
    private readonly rateLimit: Pick<RateLimit, 'limit'>,
    private readonly generations: Pick<FollowedGenerations, 'current' | 'awaitCurrent' | 'lastOf'>,
    /** A monotonic clock. */
    private readonly clock: Clock,
    private readonly pause: (milliseconds: number) => Promise<void>,
  ) {}

  /** Only a valid key has a window: a caller without one is refused before anything is recorded. */
  async admit(request: AdmissionRequest): Promise<Admission> {
    const knownKey = await this.authentication.authenticate(request.key);
    const verdict = await this.rateLimit.limit(knownKey.key);
    const { organizationId } = knownKey.key;
    const wanted = verdict.admitted ? request.minGeneration : 0;
    try {
      const read = await this.#reachGeneration(organizationId, wanted);
      // A revocation raises the generation of its organization: then the key is looked up again.
      const currentKey = await this.authentication.recheck(knownKey, read);
      // The generation says nothing about an organization to which the key has moved.
      if (currentKey.key.organizationId !== organizationId) return this.admit(request);
      return { key: currentKey.key, verdict, ...read };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      if (verdict.admitted) throw new CountedFailure(verdict, error);
      // Over its limit, whatever its generation is.
      return { ...knownKey, verdict, isConfirmed: false };
    }
  }

  /** The current generation, however long that takes, if the key is still valid then. */
  async readmit(knownKey: KnownKey): Promise<number> {
    const { organizationId } = knownKey.key;
    const current = await this.generations.awaitCurrent(organizationId);
    const currentKey = await this.authentication.recheck(knownKey, {
      generation: current,
      isConfirmed: true,
    });
    if (currentKey.key.organizationId === organizationId) return current;
    throw new Error('A key has moved to another organization during a request');
  }

  async #reachGeneration(organizationId: string, wanted: number): Promise<ReadGeneration> {
    try {
      const read = await this.generations.current(organizationId);
      const generation = read < wanted ? await this.#waitFor(wanted, organizationId, read) : read;
      return { generation, isConfirmed: true };
    } catch (error) {
      const generation = this.generations.lastOf(organizationId);
      if (generation === null) throw error;
      return { generation, isConfirmed: false };
    }
  }

  /** For at most a second. `read` is the generation that was read last. */
  async #waitFor(wanted: number, organizationId: string, read: number): Promise<number> {
    const end = this.clock.now() + MAX_WAIT_MS;
    let generation = read;
    while (generation < wanted && this.clock.now() < end) {
      await this.pause(PAUSE_MS);
      generation = await this.generations.current(organizationId);
    }
    return generation;
  }
}
