/** Where a change stands in the queue: the transaction that wrote it, and its own id. */
export interface Place {
  readonly transactionId: string;
  readonly id: string;
}

const BEGINNING: Place = { transactionId: '0', id: '0' };

/** Begins anew after so many moves: should the queue ever not be what it is taken for, that is for a minute or so. */
const MOVES = 500;

/**
 * How much of the queue need not be looked at again, however many of its deleted rows an old snapshot keeps: all up to a place is
 * acknowledged, but for what was written by transactions that had not ended when that was seen. A transaction that commits late, or was
 * prepared, is one of those, or stands behind the place.
 */
export class QueuePosition {
  #place = BEGINNING;
  #unended: readonly string[] = [];
  #moves = 0;

  /** For a query by `waiting`. */
  bindings(name: string): Readonly<Record<string, string | readonly string[]>> {
    const { transactionId, id } = this.#place;
    return { [`${name}TransactionId`]: transactionId, [`${name}Id`]: id, [`${name}Unended`]: this.#unended };
  }

  /** All is acknowledged that this snapshot (of PostgreSQL's type pg_snapshot) shows up to a place; null: all that it shows. */
  moveTo(snapshot: string, upTo: Place | null): void {
    const [, next = '0', unended = ''] = snapshot.split(':');
    this.#moves++;
    // Transactions are numbered anew where a server was replaced by one that had lost the last of them.
    if (this.#moves % MOVES === 0 || BigInt(next) < BigInt(this.#place.transactionId)) {
      this.#place = BEGINNING;
      this.#unended = [];
      return;
    }
    // Rows of a restored dump have the numbers of another server.
    const isKnown = upTo !== null && BigInt(upTo.transactionId) < BigInt(next);
    this.#place = isKnown ? upTo : { transactionId: next, id: '0' };
    this.#unended = unended === '' ? [] : unended.split(',');
  }
}

/** A query for the first rows of the queue that wait, as far as a position of that name can tell, in the order of their places. */
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
