import { RowRefused } from '../errors.js';
import type { AnySlice, ReadModelChange, ReadModelUpdate } from '../model/read-model.js';
import type { RefusedRow } from '../model/source.js';
import { shortened, storable } from '../policies/row-limits.js';
import type { ReadModelWriter } from '../ports/sync/read-model-writer.js';
import type { Log } from '../ports/system/log.js';
import type { Metrics } from '../ports/system/metrics.js';

/** `--status` lists all quarantined rows. */
const LOGGED_REASONS = 10;
const LOGGED_IDS = 3;

/** Writes. Refused rows are quarantined. */
export class UpdateReadModel {
  #writes = 0;

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Counts the updates with rows or owners. Each may outdate rows that were read before it. */
  get writes(): number {
    return this.#writes;
  }

  async run(epoch: number, given: ReadModelUpdate): Promise<ReadModelChange> {
    const update = storableUpdate(given);
    if (update.slices.length + (update.owners?.length ?? 0) > 0) this.#writes++;
    try {
      return await this.#write(epoch, update);
    } catch (error) {
      if (!(error instanceof RowRefused)) throw error;
      const slices: AnySlice[] = [];
      for (const slice of update.slices) slices.push(await this.#withoutUnwritable(epoch, slice));
      return this.#write(epoch, { ...update, slices });
    }
  }

  async #write(epoch: number, update: ReadModelUpdate): Promise<ReadModelChange> {
    const change = await this.writer.write(epoch, update);
    for (const { organizationId, totals } of change.repairedTotals ?? []) {
      this.metrics.count('total-repaired', totals);
      const details = { organizationId, repaired: totals };
      this.log.error('syncing: list counts were wrong and were repaired', details);
    }
    for (const { kind, refused } of update.slices) {
      if (refused.length === 0) continue;
      this.metrics.count('row-quarantined', refused.length);
      const reasons = [...new Set(refused.map(({ reason }) => reason))];
      for (const reason of reasons.slice(0, LOGGED_REASONS)) {
        const ids = refused.filter((row) => row.reason === reason).map(({ id }) => id);
        const details = { kind, rows: ids.length, ids: ids.slice(0, LOGGED_IDS).map(shortened), reason };
        this.log.error('rows cannot be shown and are quarantined', details);
      }
    }
    return change;
  }

  /** Row by row, because the storage does not tell which row it refused. */
  async #withoutUnwritable(epoch: number, slice: AnySlice): Promise<AnySlice> {
    const refused: RefusedRow[] = [...slice.refused];
    for (const row of slice.rows) {
      const singleSlice = { ...slice, ids: [row.id], rows: [row], refused: [] } as AnySlice;
      try {
        await this.#write(epoch, { slices: [singleSlice], jobs: [] });
      } catch (error) {
        if (!(error instanceof RowRefused)) throw error;
        refused.push({ id: row.id, reason: error.message });
      }
    }
    const refusedIds = new Set(refused.map(({ id }) => id));
    return { ...slice, rows: slice.rows.filter(({ id }) => !refusedIds.has(id)), refused } as AnySlice;
  }
}

/** Rows with a text that cannot be stored are refused, but their ids are stored. */
function storableUpdate(update: ReadModelUpdate): ReadModelUpdate {
  const { slices, jobs, owners = [] } = update;
  const storableSlices = slices.map(
    (slice) => ({ ...slice, ...storableTexts({ ids: slice.ids, refused: slice.refused }) }) as AnySlice,
  );
  return { ...update, ...storableTexts({ jobs, owners }), slices: storableSlices };
}

function storableTexts<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, text) => (typeof text === 'string' ? storable(text) : text));
}
