import type { Knex } from 'knex';
import { prepared } from '../read/prepared.js';

/** The place of a change in the queue: the transaction that wrote it, and its own id. */
interface Place {
  readonly transactionId: string;
  readonly id: string;
}

const BEGINNING: Place = { transactionId: '0', id: '0' };

/** The position restarts after this many moves. So if it were ever wrong, that would last for about a minute. */
const MOVES = 500;

/**
 * How much of the queue need not be read again, however many of its deleted rows an old snapshot retains. Everything up to a place is
 * acknowledged, except for changes of transactions that had not ended when that was observed. A transaction that commits late, or was
 * prepared, is one of those, or is after the place.
 */
export class QueuePosition {
  #place = BEGINNING;
  #unended: readonly string[] = [];
  #moves = 0;

  /** The bindings of a query by `waiting`. */
  bindings(name: string): Readonly<Record<string, string | readonly string[]>> {
    const { transactionId, id } = this.#place;
    return { [`${name}TransactionId`]: transactionId, [`${name}Id`]: id, [`${name}Unended`]: this.#unended };
  }

  /**
   * Everything that this snapshot (of PostgreSQL's type pg_snapshot) shows up to a place is acknowledged; null: everything that it shows.
   */
  moveTo(snapshot: string, upTo: Place | null): void {
    const [, next = '0', unended = ''] = snapshot.split(':');
    this.#moves++;
    // Transaction ids restart if a server was replaced by one that had lost the last transactions.
    if (this.#moves % MOVES === 0 || BigInt(next) < BigInt(this.#place.transactionId)) {
      this.#place = BEGINNING;
      this.#unended = [];
      return;
    }
    // Rows of a restored dump have the transaction ids of another server.
    const isKnown = upTo !== null && BigInt(upTo.transactionId) < BigInt(next);
    this.#place = isKnown ? upTo : { transactionId: next, id: '0' };
    this.#unended = unended === '' ? [] : unended.split(',');
  }
}

/** A query for the first waiting rows of the queue in the order of their places, from the position of that name. */
export function waiting(name: string, condition = 'true', limit = 'all'): string {
  const place = `(:${name}TransactionId::xid8, :${name}Id::bigint)`;
  const first = (stands: string) => `(
    select * from content_sync.change_queue where ${stands} and ${condition} order by transaction_id, id limit ${limit}
  )`;
  return `
    select * from (
      ${first(`(transaction_id, id) > ${place}`)}
      union all
      ${first(`transaction_id = any(:${name}Unended::xid8[]) and (transaction_id, id) <= ${place}`)}
    ) as waiting
    order by transaction_id, id limit ${limit}`;
}

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
