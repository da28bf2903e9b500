import type { JobUpdate } from '../model/job.js';
import type { RowKind } from '../model/read-model.js';
import type { RefusedRow, SourceReading } from '../model/source.js';
import type { Clock } from '../ports/clock.js';
import type { ContentSource } from '../ports/content-source.js';

const REST_MS = 3_600_000;
const MAX_ROWS = 10_000;

interface SlowRow {
  readonly kind: RowKind;
  readonly id: string;
  readonly reason: string;
  /** When it may be tried again, alone. */
  readonly restsUntil: number;
  readonly isTried: boolean;
}

/** Rows that exceed the time limit even alone. To read them would delay all changes. */
export class SlowRows {
  readonly #rows = new Map<string, SlowRow>();

  constructor(private readonly clock: Clock) {}

  add(kind: RowKind, id: string, reason: string): void {
    if (this.#rows.size >= MAX_ROWS) return;
    const restsUntil = this.clock.now() + REST_MS;
    this.#rows.set(`${kind} ${id}`, { kind, id, reason, restsUntil, isTried: false });
  }

  /** A job for one row that has rested. */
  takeDue(): readonly JobUpdate[] {
    const due = [...this.#rows.values()].find(({ restsUntil }) => restsUntil <= this.clock.now());
    if (due === undefined) return [];
    const { kind, id } = due;
    const restsUntil = this.clock.now() + REST_MS;
    this.#rows.set(`${kind} ${id}`, { ...due, restsUntil, isTried: true });
    return [{ kind: 'add', scope: { of: 'rows', kind, keys: [id] } }];
  }

  /** The source without these rows: it refuses them. */
  over(source: ContentSource): ContentSource {
    if (this.#rows.size === 0) return source;
    return {
      count: (kind) => source.count(kind),
      owners: (websiteIds) => source.owners(websiteIds),
      keys: (kind, scope, after, limit) => source.keys(kind, scope, after, limit),
      existing: (kind, ids) => source.existing(kind, ids),
      read: (kind, ids) => this.#read(kind, ids, (some) => source.read(kind, some)),
      readDigested: (ids) => this.#read('blogs', ids, (some) => source.readDigested(some)),
    };
  }

  async #read<Kind extends RowKind>(
    kind: Kind,
    ids: readonly string[],
    read: (ids: readonly string[]) => Promise<SourceReading<Kind>>,
  ): Promise<SourceReading<Kind>> {
    const resting = ids.flatMap((id): readonly RefusedRow[] => {
      const row = this.#rows.get(`${kind} ${id}`);
      return row === undefined || (row.isTried && ids.length === 1) ? [] : [{ id, reason: row.reason }];
    });
    if (resting.length === 0) {
      const reading = await read(ids);
      for (const id of reading.ids) this.#rows.delete(`${kind} ${id}`);
      return reading;
    }
    const isResting = new Set(resting.map(({ id }) => id));
    const awake = ids.filter((id) => !isResting.has(id));
    if (awake.length === 0) return { ids, rows: [], refused: resting };
    const reading = await read(awake);
    const next = awake[reading.ids.length];
    const checked = next === undefined ? ids : ids.slice(0, ids.indexOf(next));
    const refused = resting.filter(({ id }) => checked.includes(id));
    return { ...reading, ids: checked, refused: [...reading.refused, ...refused] };
  }
}
