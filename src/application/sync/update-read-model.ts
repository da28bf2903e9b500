import type {
  ReadModelChange,
  ReadModelSlice,
  ReadModelUpdate,
  RowKind,
  UnshownRow,
} from '../../domain/model/read-model.js';
import { shortened } from '../../domain/policies/row-refusal.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { MAX_UNSHOWN_ROWS, storable } from './unshown-row.js';

/** `--status` lists all unshown rows. */
const LOGGED_CAUSES = 10;
const LOGGED_IDS = 3;

/** Which rows of a kind were written since others were read. */
export class Watch {
  readonly #ids = new Set<string>();
  #mayConcernAll = false;

  constructor(private readonly kind: RowKind) {}

  note({ slices, owners = [] }: ReadModelUpdate): void {
    if (owners.length > 0) this.#mayConcernAll = true;
    for (const { kind, ids } of slices) if (kind === this.kind) for (const id of ids) this.#ids.add(id);
  }

  mayConcern(ids: readonly string[]): boolean {
    return this.#mayConcernAll || ids.some((id) => this.#ids.has(storable(id)));
  }
}

/** Writes, and reports rows that are not shown. */
export class UpdateReadModel {
  #watch: Watch | null = null;
  readonly #lastShown = new Map<RowKind, string>();

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Notes what is written from now on. */
  watch(kind: RowKind): Watch {
    this.#watch = new Watch(kind);
    return this.#watch;
  }

  async write(epoch: number, given: ReadModelUpdate): Promise<ReadModelChange> {
    const stored = storableUpdate(given);
    const hasUnshown = stored.slices.some(({ unshown }) => unshown.length > 0);
    const slices = hasUnshown ? await this.#keepingMany(stored.slices) : stored.slices;
    const update = { ...stored, slices };
    this.#watch?.note(update);
    const change = await this.writer.write(epoch, update);
    for (const { organizationId, totals } of change.repairedTotals ?? []) {
      this.metrics.count('total-repaired', totals);
      const details = { organizationId, repaired: totals };
      this.log.error('syncing: list counts were wrong and were repaired', details);
    }
    for (const slice of slices) {
      this.#report(slice);
      const row = slice.rows.at(-1);
      if (row !== undefined) this.#lastShown.set(slice.kind, row.id);
    }
    return change;
  }

  /** A row of the last write that had any of this kind. Null: there was none. */
  lastShown(kind: RowKind): string | null {
    return this.#lastShown.get(kind) ?? null;
  }

  forgetShown(kind: RowKind): void {
    this.#lastShown.delete(kind);
  }

  /** Many rows are not at fault themselves: what they show stays. A key may be revoked. */
  async #keepingMany(slices: readonly ReadModelSlice[]): Promise<readonly ReadModelSlice[]> {
    const changed: ReadModelSlice[] = [];
    for (const slice of slices) {
      const { kind, ids, unshown } = slice;
      const areMany =
        unshown.length > 0 &&
        kind !== 'apiKeys' &&
        unshown.length + (await this.writer.countUnshown(kind)) > MAX_UNSHOWN_ROWS;
      const kept = new Set(areMany ? unshown.map(({ id }) => id) : []);
      changed.push({ ...slice, ids: ids.filter((id) => !kept.has(id)) });
    }
    return changed;
  }

  #report({ kind, unshown }: ReadModelSlice): void {
    if (unshown.length > 0) this.metrics.count('row-unshown', unshown.length);
    const first = unshown.filter(({ attempts }) => attempts === 1);
    for (const rows of byCause(first).slice(0, LOGGED_CAUSES)) {
      const ids = rows.slice(0, LOGGED_IDS).map(({ id }) => shortened(id));
      const details = { kind, rows: rows.length, ids, reason: rows[0].reason };
      this.log.error('rows cannot be shown', details);
    }
  }
}

function byCause(rows: readonly UnshownRow[]): readonly (readonly [UnshownRow, ...UnshownRow[]])[] {
  const groups = new Map<string, [UnshownRow, ...UnshownRow[]]>();
  for (const row of rows) {
    const group = groups.get(row.cause);
    if (group === undefined) groups.set(row.cause, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/**
 * Rows with a text that cannot be stored are refused, but their ids are stored, of which several
 * may be stored as one.
 */
function storableUpdate(update: ReadModelUpdate): ReadModelUpdate {
  const { slices, jobs, owners = [] } = update;
  const storableSlices = slices.map((slice) => {
    const rows = new Map(slice.unshown.map((row) => [storable(row.id), storableTexts(row)]));
    return { ...slice, ids: slice.ids.map(storable), unshown: [...rows.values()] };
  });
  const hasTexts = jobs.length + owners.length > 0;
  return { ...update, ...(hasTexts ? storableTexts({ jobs, owners }) : {}), slices: storableSlices };
}

function storableTexts<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, text) => (typeof text === 'string' ? storable(text) : text));
}
