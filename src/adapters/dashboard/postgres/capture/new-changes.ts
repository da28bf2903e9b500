import type { Knex } from 'knex';
import { prepared } from '../read/prepared.js';
import type { QueuePosition } from './queue-position.js';

const MOMENT = 'pg_current_snapshot()::text as snapshot';
/** Ordered by an index, so that no plan reads all the changes that there ever were. */
const BEHIND = `(
  select true from content_sync.change_queue where (transaction_id, id) > (:placeTransactionId::xid8, :placeId::bigint)
  order by transaction_id, id limit 1) is true`;
const LATE =
  'exists (select from content_sync.change_queue where transaction_id = any(:placeUnended::xid8[]))';

/** These run many times a second, so each part of them counts. */
const QUERIES = {
  moment: `select ${MOMENT}`,
  new: `select ${MOMENT}, ${BEHIND} as found`,
  new_or_late: `select ${MOMENT}, ${BEHIND} or ${LATE} as found`,
};

/**
 * Whether the queue has anything that a look did not see. A snapshot shows which transactions it includes: while it is unchanged, nothing
 * can have been added, and no table has to be read.
 */
export class NewChanges {
  #nothingIn: string | null = null;
  #standsStill = false;

  constructor(
    private readonly database: Knex,
    private readonly seen: QueuePosition,
  ) {}

  async exist(): Promise<boolean> {
    if (this.#standsStill && (await this.#query('moment')).snapshot === this.#nothingIn) return false;
    const place = this.seen.bindings('place');
    const { snapshot, found } = await this.#query(
      place.placeUnended?.length === 0 ? 'new' : 'new_or_late',
      place,
    );
    // If others write all the time, the cheaper query would only be an extra cost.
    this.#standsStill = snapshot === this.#nothingIn;
    this.#nothingIn = found ? null : snapshot;
    return found;
  }

  async #query(
    name: keyof typeof QUERIES,
    bindings: Readonly<Record<string, string | readonly string[]>> = {},
  ) {
    const { rows }: { rows: [{ snapshot: string; found: boolean }] } = await this.database
      .raw(QUERIES[name], { ...bindings })
      .options(prepared(name));
    return rows[0];
  }
}
