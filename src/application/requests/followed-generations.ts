import { Unavailable } from '../../domain/policies/circuit-breaker.js';
import type {
  GenerationQuestion,
  GenerationReading,
  Generations,
} from '../../domain/ports/reading/generations.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Staleness } from './staleness.js';

/** 20 MB with ids of usual length. */
const MAX_ORGANIZATIONS = 100_000;
/** A request that finds the last look older than this waits for another one. */
const LOOK_LASTS_MS = 250;
/** Looks are rare after so long without a request. They keep answers usable in an outage. */
const IDLE_AFTER_MS = 10_000;
const LOOK_EVERY_MS_WHILE_IDLE = 1_000;
/** If more were raised, it costs less to read organizations again when they are asked for. */
const MAX_RAISED = 1_000;

interface Entry {
  generation: number;
  /** When a look last confirmed it. Null: each look does. */
  followedUntil: number | null;
}

/**
 * The generations of the organizations that are asked for. A look reads what was raised above the
 * highest generation that was seen, and the organizations that are asked for the first time. After
 * a gap (the start, an outage, another server, an earlier state), each is read again.
 */
export class FollowedGenerations {
  readonly #entries = new Map<string, Entry>();
  /** For the next look, each with a generation that it has reached in any case. */
  #asked = new Map<string, number>();
  #position = Number.MAX_SAFE_INTEGER;
  /** The server whose raises are followed without a gap. */
  #server: string | null = null;
  #isPrimaryAway = false;
  #failure: unknown = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(
    private readonly primary: Generations,
    /** They are asked while the primary is away. */
    private readonly replicas: readonly Generations[],
    private readonly staleness: Staleness,
    /** One that cannot be set. */
    private readonly clock: Clock,
    /** Fails if a look takes longer than a request should wait that may be answered without it. */
    private readonly inTime: (look: Promise<void>) => Promise<void>,
  ) {}

  /** To be called several times a second. */
  async follow(): Promise<void> {
    const now = this.clock.now();
    const isIdle = now - this.#askedAt > IDLE_AFTER_MS;
    if (!isIdle || now - this.#lookedAt >= LOOK_EVERY_MS_WHILE_IDLE) await this.look();
  }

  /** To be called when a raise was notified. */
  async look(): Promise<void> {
    // Only here, so that no request waits for a server that is away.
    if (this.#isPrimaryAway) {
      const probe = this.primary.read({ above: this.#position, limit: 1, organizationIds: [] });
      await probe.then(
        () => {
          this.#isPrimaryAway = false;
        },
        () => {},
      );
    }
    await this.#look();
  }

  /** Fails soon if the last one may be used instead. */
  async current(organizationId: string, keyGeneration = 0): Promise<number> {
    this.#askedAt = this.clock.now();
    return (
      this.#followed(organizationId, this.#askedAt - LOOK_LASTS_MS) ??
      this.#current(organizationId, keyGeneration, false)
    );
  }

  /** Waits until a server has answered, or none has. */
  confirmed(organizationId: string, keyGeneration: number): Promise<number> {
    return this.#current(organizationId, keyGeneration, true);
  }

  /** The last one that was current. Null: there is none, or that is too long ago. */
  lastOf(organizationId: string): number | null {
    const entry = this.#entries.get(organizationId);
    if (entry === undefined) return null;
    const age = this.clock.now() - (entry.followedUntil ?? this.#lookedAt);
    return this.staleness.mayUseGeneration(age) ? entry.generation : null;
  }

  /** Whether the last known answers may be given, because no server of the read tables answers. */
  async isGoingWithout(): Promise<boolean> {
    try {
      await this.inTime(this.look());
      return false;
    } catch {
      return this.staleness.mayUseGeneration(this.clock.now() - this.#lookedAt);
    }
  }

  /**
   * No older than a quarter of a second. Fails if no server answers. `keyGeneration` is that with
   * which the key was read: a replica may lag behind it.
   */
  async #current(organizationId: string, keyGeneration: number, isPatient: boolean): Promise<number> {
    const newEnough = this.clock.now() - LOOK_LASTS_MS;
    for (;;) {
      const generation = this.#followed(organizationId, newEnough);
      if (generation !== null) return generation;
      if (this.#entries.get(organizationId)?.followedUntil !== null) this.#ask(organizationId, keyGeneration);
      const mustWait = isPatient || this.lastOf(organizationId) === null;
      await (mustWait ? this.#look() : this.inTime(this.#look()));
    }
  }

  /** Null: it is not followed, or the last look is too old. */
  #followed(organizationId: string, newEnough: number): number | null {
    const entry = this.#entries.get(organizationId);
    return entry?.followedUntil === null && this.#lookedAt >= newEnough ? entry.generation : null;
  }

  #ask(organizationId: string, keyGeneration: number): void {
    const reached = this.#asked.get(organizationId) ?? 0;
    this.#asked.set(organizationId, Math.max(reached, keyGeneration));
  }

  /** Begins after this call, and after the one that is running. All callers share it. */
  #look(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      const look = this.#lookNow();
      this.#running = look.catch(() => {});
      return look;
    });
    return this.#next;
  }

  async #lookNow(): Promise<void> {
    const startedAt = this.clock.now();
    const asked = this.#asked;
    this.#asked = new Map();
    const organizationIds = [...asked.keys()];
    this.#apply(await this.#read({ above: this.#position, limit: MAX_RAISED, organizationIds }), asked);
    this.#lookedAt = startedAt;
  }

  async #read(question: GenerationQuestion): Promise<GenerationReading> {
    try {
      if (!this.#isPrimaryAway) return await this.primary.read(question);
    } catch (error) {
      this.#failure = error;
      this.#isPrimaryAway = true;
      this.#server = null;
    }
    const answers = await Promise.allSettled(this.replicas.map((replica) => replica.read(question)));
    const readings = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [newest] = readings.toSorted((one, other) => other.newest - one.newest);
    if (newest === undefined) throw new Unavailable('the read tables', this.#failure);
    return newest;
  }

  #apply(reading: GenerationReading, asked: ReadonlyMap<string, number>): void {
    const { server, mayLag, newest, raised, current } = reading;
    const isOfSameHistory = mayLag || (server === this.#server && newest >= this.#position);
    if (!isOfSameHistory || raised.length >= MAX_RAISED) this.#forgetAll();
    if (!mayLag) this.#server = server;
    // A replica may be behind: it is asked again for raises that are known, which does no harm.
    this.#position = newest;
    for (const { organizationId, generation } of raised) {
      const entry = this.#entries.get(organizationId);
      if (entry !== undefined) entry.generation = Math.max(entry.generation, generation);
    }
    for (const [organizationId, keyGeneration] of asked) {
      const last = this.#entries.get(organizationId)?.generation ?? 0;
      const reached = mayLag ? Math.max(last, keyGeneration) : 0;
      this.#follow(organizationId, Math.max(current.get(organizationId) ?? 0, reached));
    }
  }

  /** They are read again, but stay known for an outage. */
  #forgetAll(): void {
    for (const entry of this.#entries.values()) entry.followedUntil ??= this.#lookedAt;
  }

  #follow(organizationId: string, generation: number): void {
    this.#entries.set(organizationId, { generation, followedUntil: null });
    // A Map keeps insertion order.
    const [oldest] = this.#entries.size > MAX_ORGANIZATIONS ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
