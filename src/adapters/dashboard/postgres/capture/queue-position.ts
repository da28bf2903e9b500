import type { Knex } from 'knex';
import { prepared } from '../read/prepared.js';

/** The place of a change in the queue: the transaction that wrote it, and its own id. */
interface Place {
  readonly transactionId: string;
  readonly id: string;
}

const BEGINNING: Place = { transactionId: '0', id: '0' };

/** It restarts after this many moves, so that an error would last for a minute. */
const MOVES = 500;

/**
 * How much of the queue need not be read again: all up to a place is acknowledged, but for
 * transactions that had not ended when that was observed.
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

  /** All that this snapshot shows up to a place is acknowledged; null: all that it shows. */
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

/** A query for the first waiting rows of the queue, from the position of that name. */
export function waiting(name: string, condition = 'true', limit = 'all'): string {
  const position = `(:${name}TransactionId::xid8, :${name}Id::bigint)`;
  const first = (stands: string) => `(
    select * from content_sync.change_queue where ${stands} and ${condition} order by transaction_id, id limit ${limit}
  )`;
  return `
    select * from (
      ${first(`(transaction_id, id) > ${position}`)}
      union all
      ${first(`transaction_id = any(:${name}Unended::xid8[]) and (transaction_id, id) <= ${position}`)}
    ) as waiting
    order by transaction_id, id limit ${limit}`;
}

/** Ordered by an index, so that no plan reads all the changes that there ever were. */
const NEW_CHANGES = `
  select (select true from content_sync.change_queue where (transaction_id, id) > (:placeTransactionId::xid8, :placeId::bigint)
    order by transaction_id, id limit 1) is true
    or exists (select from content_sync.change_queue where transaction_id = any(:placeUnended::xid8[])) as found`;

/** Whether the queue has anything that a look did not see. This runs many times a second. */
export async function hasNewChanges(database: Knex, seen: QueuePosition): Promise<boolean> {
  const { rows }: { rows: [{ found: boolean }] } = await database
    .raw(NEW_CHANGES, { ...seen.bindings('place') })
    .options(prepared('new_changes'));
  return rows[0].found;
}
