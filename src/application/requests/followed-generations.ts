import type { GenerationReading, Generations, SyncAge } from '../../domain/ports/reading/generations.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import { Unavailable } from './circuit-breaker.js';
import type { Staleness } from './staleness.js';
import { maxSyncAgeMs, SyncTooOld } from './sync-age.js';

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
  readonly generation: number;
  /** The last look that confirmed it. Null: each look does. */
  readonly confirmedAt: number | null;
}

/**
 * The generations of the organizations that are asked for. A look reads what was raised above the
 * highest generation that was seen, and the organizations that are asked for the first time. After
 * a gap (the start, an outage, another server, an earlier state), each is read again.
 */
export class FollowedGenerations {
  readonly #entries = new Map<string, Entry>();
  /** The organizations that the next look reads. */
  #unread = new Set<string>();
  /** The organization with the highest generation of all entries. A restore may take it back. */
  #highest: { readonly organizationId: string; readonly generation: number } | null = null;
  #position = Number.MAX_SAFE_INTEGER;
  /** Null: there is a gap. */
  #server: string | null = null;
  /** Of the last look. Null: it succeeded. */
  #failure: Unavailable | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** At the time of the last look. */
  #sync: SyncAge | null = null;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(
    private readonly table: Generations,
    private readonly staleness: Staleness,
    /** Null: the default of the server. */
    private readonly maxSyncAgeMs: number | null,
    /** A monotonic clock. */
    private readonly clock: Clock,
    /** Fails if a look takes longer than a request should wait that may be answered without it. */
    private readonly inTime: (look: Promise<void>) => Promise<void>,
  ) {}

  /** To be called several times a second. */
  async lookIfDue(): Promise<void> {
    const now = this.clock.now();
    const isIdle = now - this.#requestedAt > IDLE_AFTER_MS;
    if (!isIdle || now - this.#lookedAt >= LOOK_EVERY_MS_WHILE_IDLE) await this.look();
    await this.requireSync();
  }

  /** Fails if nothing may be served, however well the server answers. */
  async requireSync(): Promise<void> {
    if (this.#outdated() === null) return;
    await this.inTime(this.look()).catch(() => {});
    const error = this.#outdated();
    if (error !== null) throw error;
  }

  /** Null: no look has succeeded. */
  get sync(): SyncAge | null {
    if (this.#sync === null) return null;
    return { ...this.#sync, syncAgeMs: this.#sync.syncAgeMs + this.clock.now() - this.#lookedAt };
  }

  /** Begins after this call, and after the look that is running. All callers share it. */
  look(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      const look = this.#read();
      this.#running = look.catch(() => {});
      return look;
    });
    return this.#next;
  }

  /** No older than a quarter of a second. Fails soon if the last one may be used instead. */
  async current(organizationId: string): Promise<number> {
    this.#requestedAt = this.clock.now();
    return (
      this.#confirmedSince(this.#requestedAt - LOOK_LASTS_MS, organizationId) ??
      this.#lookFor(organizationId, (look) =>
        this.lastOf(organizationId) === null ? look : this.inTime(look),
      )
    );
  }

  /** The same, however long the server takes. */
  awaitCurrent(organizationId: string): Promise<number> {
    return this.#lookFor(organizationId, (look) => look);
  }

  /** The last one that was current. Null: there is none, or that is too long ago. */
  lastOf(organizationId: string): number | null {
    const entry = this.#entries.get(organizationId);
    if (entry === undefined) return null;
    const age = this.clock.now() - (entry.confirmedAt ?? this.#lookedAt);
    return this.staleness.mayUseGeneration(age) ? entry.generation : null;
  }

  /** Whether the last known answers may be given, because the read tables do not answer. */
  async isGoingWithout(): Promise<boolean> {
    try {
      await this.inTime(this.look());
      return false;
    } catch {
      return this.#outdated() === null && this.staleness.mayUseGeneration(this.clock.now() - this.#lookedAt);
    }
  }

  async #lookFor(organizationId: string, wait: (look: Promise<void>) => Promise<void>): Promise<number> {
    const since = this.clock.now() - LOOK_LASTS_MS;
    for (;;) {
      const generation = this.#confirmedSince(since, organizationId);
      if (generation !== null) return generation;
      // No request waits for a server that is away: other looks find out when it is back.
      if (this.#failure !== null) throw this.#failure;
      if (this.#entries.get(organizationId)?.confirmedAt !== null) this.#unread.add(organizationId);
      await wait(this.look());
    }
  }

  #outdated(): SyncTooOld | null {
    const { sync } = this;
    if (sync === null) return null;
    const limitMs = maxSyncAgeMs(sync, this.maxSyncAgeMs);
    return sync.syncAgeMs > limitMs ? new SyncTooOld(sync, limitMs) : null;
  }

  #confirmedSince(time: number, organizationId: string): number | null {
    const entry = this.#entries.get(organizationId);
    return entry?.confirmedAt === null && this.#lookedAt >= time ? entry.generation : null;
  }

  async #read(): Promise<void> {
    const startedAt = this.clock.now();
    const unread = [...this.#unread];
    this.#unread = new Set();
    const organizationIds = this.#highest === null ? unread : [...unread, this.#highest.organizationId];
    try {
      const question = { above: this.#position, limit: MAX_RAISED, organizationIds };
      const reading = await this.table.read(question);
      this.#apply(reading, unread);
      // A promoted standby may be one that was cut off, with nobody writing to it.
      this.#sync = { ...reading, isStandby: reading.isStandby || (this.#sync?.isStandby ?? false) };
      this.#lookedAt = startedAt;
      this.#failure = null;
    } catch (error) {
      this.#server = null;
      this.#failure = new Unavailable('the read tables', error);
      throw this.#failure;
    }
  }

  #apply(reading: GenerationReading, unread: readonly string[]): void {
    const { server, newest, raised, current } = reading;
    if (server !== this.#server || raised.length >= MAX_RAISED || this.#wentBack(reading)) this.#forgetAll();
    this.#server = server;
    this.#position = newest;
    for (const { organizationId, generation } of raised)
      if (this.#entries.has(organizationId)) this.#follow(organizationId, generation);
    for (const organizationId of unread) this.#follow(organizationId, current.get(organizationId) ?? 0);
  }

  /** After a restore, other organizations may have been raised above all earlier generations. */
  #wentBack({ newest, current }: GenerationReading): boolean {
    const highest = this.#highest;
    const isLower = highest !== null && (current.get(highest.organizationId) ?? 0) < highest.generation;
    return isLower || newest < this.#position;
  }

  /** They are read again, but stay known for an outage. */
  #forgetAll(): void {
    for (const [organizationId, { generation, confirmedAt }] of this.#entries)
      this.#entries.set(organizationId, { generation, confirmedAt: confirmedAt ?? this.#lookedAt });
    this.#highest = null;
  }

  #follow(organizationId: string, generation: number): void {
    this.#entries.set(organizationId, { generation, confirmedAt: null });
    if (generation >= (this.#highest?.generation ?? 0)) this.#highest = { organizationId, generation };
    // A Map keeps insertion order.
    const [oldest] = this.#entries.size > MAX_ORGANIZATIONS ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
