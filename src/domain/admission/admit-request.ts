import { DomainError } from '../errors.js';
import type { ApiKey } from '../model/api-key.js';
import type { SlidingWindow, Verdict } from '../policies/sliding-window.js';
import type { Generations } from '../ports/generations.js';
import type { RequestLog } from '../ports/request-log.js';
import type { AuthenticateKey, AuthenticateKeyHandler } from './authenticate-key.js';
import type { KnownGenerations } from './known-generations.js';
import type { ReachGeneration } from './reach-generation.js';

/** Decided for every request before anything else about it: is the key valid, and does its window have room? */
export interface AdmitRequest extends AuthenticateKey {
  /** The lowest generation that the caller wants to see, if it is published soon. 0 if left out. */
  readonly minGeneration?: number;
}

export interface Admission {
  readonly key: ApiKey;
  readonly verdict: Verdict;
  /** The organization's generation, read before any of its content. */
  readonly generation: number;
  /** False: the generation could not be read, and this is the last known one. */
  readonly isConfirmed: boolean;
}

/** A failure after the request was counted. `cause` is the error, and the verdict is the state of the window. */
export class CountedFailure extends Error {
  override readonly name = 'CountedFailure';

  constructor(
    readonly verdict: Verdict,
    cause: unknown,
  ) {
    super('A request failed after it was counted', { cause });
  }
}

const NO_GENERATIONS: Pick<KnownGenerations, 'lastOf'> = { lastOf: () => null };

export class AdmitRequestHandler {
  constructor(
    private readonly authentication: AuthenticateKeyHandler,
    private readonly requests: RequestLog,
    private readonly generations: Generations,
    private readonly window: SlidingWindow,
    private readonly reach: ReachGeneration,
    private readonly known: Pick<KnownGenerations, 'lastOf'> = NO_GENERATIONS,
  ) {}

  /** A caller without a valid key is refused and leaves no trace: only a valid key has a window. */
  async handle({ key, minGeneration = 0 }: AdmitRequest): Promise<Admission> {
    const found = this.authentication.handle({ key });
    const known = found instanceof Promise ? await found : found;
    // Both are requested at once, so that an adapter can send them in one round trip.
    const recorded = this.requests.record(known.key, this.window.window);
    const current = this.generations.current(known.key.organizationId);
    // Awaited below, if the request was counted.
    current.catch(ignore);
    const verdict = this.window.judge(await recorded);
    try {
      const wanted = verdict.admitted ? minGeneration : 0;
      const { generation, isConfirmed } = await this.#reachGeneration(
        known.key.organizationId,
        current,
        wanted,
      );
      // The organization may have changed since the key was looked up. That change may have revoked the key.
      const confirmed = this.authentication.confirm(known, generation);
      const present = confirmed instanceof Promise ? await confirmed : confirmed;
      return { key: present.key, verdict, generation, isConfirmed };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      throw new CountedFailure(verdict, error);
    }
  }

  async #reachGeneration(
    organizationId: string,
    current: Promise<number>,
    wanted: number,
  ): Promise<Pick<Admission, 'generation' | 'isConfirmed'>> {
    try {
      const read = await current;
      const generation = read < wanted ? await this.reach.handle(organizationId, read, wanted) : read;
      return { generation, isConfirmed: true };
    } catch (error) {
      const generation = this.known.lastOf(organizationId);
      if (generation === null) throw error;
      return { generation, isConfirmed: false };
    }
  }
}

function ignore(): void {}
