import type { Change } from '../../domain/model/job.js';
import { inTurn } from '../../domain/policies/ordering.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { MemoryContentSource } from './memory-content-source.js';

const OWN_LANES: readonly Change['kind'][] = ['apiKeys', 'websites'];

/** A change feed that its user fills by hand, together with the content source. */
export class MemoryChangeFeed implements ChangeFeed {
  #changes: readonly Change[] = [];
  #lastId = 0;
  #nextLane = 0;
  #startsWithNewest = false;

  constructor(private readonly source: MemoryContentSource) {}

  add(kind: Change['kind'], key: string | null): void {
    this.#changes = [...this.#changes, { id: String(++this.#lastId), kind, key }];
  }

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    const lanes = [0, 1, 2].map((lane) => this.#changes.filter((change) => laneOf(change) === lane));
    const lanesInTurn = [...lanes.slice(this.#nextLane), ...lanes.slice(0, this.#nextLane)];
    const oldest = lanesInTurn.find((changes) => changes.length > 0) ?? [];
    if (oldest.length === 0) this.#nextLane = 0;
    return see(this.#taken(oldest, limit), this.source.snapshot()).catch((error: unknown) => {
      this.#nextLane = 0;
      throw error;
    });
  }

  async hasNew(): Promise<boolean> {
    return this.#changes.length > 0;
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#nextLane = (laneOf(last) + 1) % 3;
    this.#startsWithNewest = !this.#startsWithNewest;
    const forgotten = new Set(changes.map(({ id }) => id));
    this.#changes = this.#changes.filter(({ id }) => !forgotten.has(id));
  }

  #taken(oldest: readonly Change[], limit: number): readonly Change[] {
    const newest = oldest.toReversed();
    return this.#startsWithNewest ? inTurn(newest, oldest, limit) : inTurn(oldest, newest, limit);
  }
}

function laneOf({ kind }: Change): number {
  const lane = OWN_LANES.indexOf(kind);
  return lane === -1 ? OWN_LANES.length : lane;
}
