import type { RaisedGeneration } from '../model/read-model.js';
import type { Staleness } from '../policies/staleness.js';
import type { GenerationHistory } from '../ports/reading/generation-history.js';
import type { Generations } from '../ports/reading/generations.js';
import type { PublishedGenerations } from '../ports/reading/published-generations.js';
import type { Clock } from '../ports/system/clock.js';

/** 10 MB with ids of usual length. */
const MAX_ORGANIZATIONS = 50_000;

interface Entry {
  generation: number;
  /** Whether the polls tell of each raise since it was read from a server. */
  isFollowed: boolean;
  /** When it was last current. Null: never. */
  currentAt: number | null;
}

/**
 * The higher of what is polled from the read tables and what is published, so none is older than
 * the last poll, whatever the list of published generations loses. Replicas may lag, so they count
 * while the primary is away.
 */
export class PolledGenerations implements Generations {
  readonly #entries = new Map<string, Entry>();
  #starts = 0;

  constructor(
    private readonly primary: PolledServer,
    private readonly replicas: readonly PolledServer[],
    private readonly published: Pick<PublishedGenerations, 'published'>,
    private readonly staleness: Staleness,
    /** One that cannot be set. */
    private readonly clock: Clock,
  ) {
    const listener = {
      start: () => this.#readAllAgain(),
      raise: (organizationId: string, generation: number) => this.#raise(organizationId, generation),
    };
    for (const server of [primary, ...replicas]) server.tell(listener);
  }

  /**
   * Fails if nothing can be read. `keyGeneration` is that with which a key was read: a process that
   * has just started has nothing else to compare an old list with.
   */
  async current(organizationId: string, keyGeneration = 0): Promise<number> {
    const published = await this.published.published(organizationId);
    const entry = this.#entries.get(organizationId) ?? this.#enter(organizationId);
    const isPolled = entry.isFollowed && this.#isCurrent;
    if (!isPolled) {
      const canDoWithout = published !== null && (published > 0 || entry.isFollowed);
      await this.#read(organizationId, entry, canDoWithout);
    }
    entry.generation = Math.max(entry.generation, published ?? 0, keyGeneration);
    entry.currentAt = this.clock.now();
    return entry.generation;
  }

  /** The last one that was current. Null: there is none, or that is too long ago. */
  lastOf(organizationId: string): number | null {
    const entry = this.#entries.get(organizationId);
    if (entry === undefined || entry.currentAt === null) return null;
    return this.staleness.mayUseGeneration(this.clock.now() - entry.currentAt) ? entry.generation : null;
  }

  get #isCurrent(): boolean {
    return (
      this.primary.isCurrent || (this.primary.isAway && this.replicas.some(({ isCurrent }) => isCurrent))
    );
  }

  async #read(organizationId: string, entry: Entry, canDoWithout: boolean): Promise<void> {
    const starts = this.#starts;
    const newestFirst = this.replicas.toSorted((one, other) => other.position - one.position);
    const all = [this.primary, ...newestFirst];
    const answering = this.primary.isAway ? all.filter(({ isAway }) => !isAway) : all;
    // The key of a new organization was just read, so a server is back before the next poll.
    const servers = answering.length > 0 || entry.currentAt !== null ? answering : all;
    let failure: unknown = new Error('No server of the read tables answers');
    for (const server of servers) {
      try {
        const generation = await server.table.current(organizationId);
        entry.generation = Math.max(entry.generation, generation);
        // A replica may lag behind raises that the polls of the primary have already told.
        const isTold = server === this.primary || this.primary.isAway;
        entry.isFollowed = isTold && starts === this.#starts;
        return;
      } catch (error) {
        failure = error;
      }
    }
    if (!canDoWithout) throw failure;
  }

  #raise(organizationId: string, generation: number): void {
    const entry = this.#entries.get(organizationId);
    if (entry !== undefined) entry.generation = Math.max(entry.generation, generation);
  }

  #readAllAgain(): void {
    this.#starts++;
    for (const entry of this.#entries.values()) entry.isFollowed = false;
  }

  /** Before it is read, so that no raise in between is missed. */
  #enter(organizationId: string): Entry {
    const entry: Entry = { generation: 0, isFollowed: false, currentAt: null };
    this.#entries.set(organizationId, entry);
    // A Map keeps insertion order.
    const [oldest] = this.#entries.size > MAX_ORGANIZATIONS ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }
}

/** What a poll has read counts as current for this long. */
const POLL_LASTS_MS = 250;
const PAGE = 1_000;

export interface PollListener {
  /** The first poll that succeeds after a start or an outage: none tells of what came before. */
  start(): void;
  raise(organizationId: string, generation: number): void;
}

/** A server of the read tables whose raised generations are polled. */
export class PolledServer {
  #listener: PollListener | null = null;
  /** The highest generation that was seen. Null: no poll has succeeded. */
  #position: number | null = null;
  #polledAt = Number.NEGATIVE_INFINITY;
  #isAway = false;

  constructor(
    readonly table: Generations & GenerationHistory,
    /** One that cannot be set. */
    private readonly clock: Clock,
  ) {}

  /** Whether the last poll failed. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The highest generation that it has, as far as polls have told. */
  get position(): number {
    return this.#position ?? 0;
  }

  get isCurrent(): boolean {
    return this.clock.now() - this.#polledAt <= POLL_LASTS_MS;
  }

  tell(listener: PollListener): void {
    this.#listener = listener;
  }

  /** To be called several times a second. Tells what was raised since the last poll. */
  async poll(): Promise<void> {
    const startedAt = this.clock.now();
    try {
      const hasGap = this.#position === null || this.#isAway;
      const seen = this.#position ?? Number.POSITIVE_INFINITY;
      // The tables may have come back in an earlier state, with lower generations.
      const position = hasGap ? Math.min(seen, await this.table.newest()) : seen;
      let raised = await this.table.above(position, PAGE);
      if (hasGap) this.#listener?.start();
      this.#position = position;
      this.#tell(raised);
      while (raised.length >= PAGE) {
        raised = await this.table.above(this.#position, PAGE);
        this.#tell(raised);
      }
      this.#polledAt = startedAt;
      this.#isAway = false;
    } catch (error) {
      this.#isAway = true;
      throw error;
    }
  }

  #tell(raised: readonly RaisedGeneration[]): void {
    for (const { organizationId, generation } of raised) this.#listener?.raise(organizationId, generation);
    this.#position = raised.at(-1)?.generation ?? this.position;
  }
}
