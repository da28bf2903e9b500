import type { Knex } from 'knex';
import { prepared } from './prepared.js';
import type { QueuePosition } from './queue-position.js';

const MOMENT = 'pg_current_snapshot()::text as snapshot';
/** In the order of an index, so that none is planned that comes upon all there ever was. */
const BEHIND = `(
  select true from content_sync.change_queue where (transaction_id, id) > (:placeTransactionId::xid8, :placeId::bigint)
  order by transaction_id, id limit 1) is true`;
const LATE =
  'exists (select from content_sync.change_queue where transaction_id = any(:placeUnended::xid8[]))';

/** Asked many times a second, so that each part of them counts. */
const QUESTIONS = {
  moment: `select ${MOMENT}`,
  new: `select ${MOMENT}, ${BEHIND} as found`,
  new_or_late: `select ${MOMENT}, ${BEHIND} or ${LATE} as found`,
};

/**
 * Whether there is anything in the queue that a look did not see. A snapshot says which transactions it shows: while it is the same one as
 * before, nothing can have come, and no table has to be looked into for that.
 */
export class NewChanges {
  #nothingIn: string | null = null;
  #standsStill = false;

  constructor(
    private readonly database: Knex,
    private readonly seen: QueuePosition,
  ) {}

  async isThere(): Promise<boolean> {
    if (this.#standsStill && (await this.#ask('moment')).snapshot === this.#nothingIn) return false;
    const place = this.seen.bindings('place');
    const { snapshot, found } = await this.#ask(
      place.placeUnended?.length === 0 ? 'new' : 'new_or_late',
      place,
    );
    // Where others write all the time, the cheaper question would only come on top.
    this.#standsStill = snapshot === this.#nothingIn;
    this.#nothingIn = found ? null : snapshot;
    return found;
  }

  async #ask(
    question: keyof typeof QUESTIONS,
    bindings: Readonly<Record<string, string | readonly string[]>> = {},
  ) {
    const { rows }: { rows: [{ snapshot: string; found: boolean }] } = await this.database
      .raw(QUESTIONS[question], { ...bindings })
      .options(prepared(question));
    return rows[0];
  }
}
