import type { Knex } from 'knex';
import { LeadershipLost } from '../../domain/errors.js';
import { updateWork } from './update-work.js';

/** A look at the change capture: what is broken in it, and what becomes another one with whatever happens to it. */
export interface SeenCapture {
  readonly broken: readonly string[];
  readonly seen: Readonly<Record<string, string>>;
}

export type CaptureChange =
  /** As it was when this was noted last. */
  | { readonly kind: 'none' }
  | { readonly kind: 'broken' }
  /** It is whole, and was not in between: these are other ones now. */
  | { readonly kind: 'mended'; readonly changed: readonly string[] };

interface Stored {
  readonly capture_seen: Readonly<Record<string, string>> | null;
  readonly capture_is_broken: boolean;
}

/**
 * Notes what the change capture looks like. What was missed while it was not whole is unknown, so that everything is read anew once it is,
 * in the transaction that notes this; the API keys also each time that it is seen broken: a revocation should not wait for whoever mends it.
 */
export async function noteCapture(
  database: Knex,
  epoch: number,
  { broken, seen }: SeenCapture,
): Promise<CaptureChange> {
  return database.transaction(async (transaction) => {
    const rows: readonly Stored[] = await transaction
      .withSchema('content_read')
      .from('sync_leader')
      .where({ epoch })
      .whereRaw('backend_pid = pg_backend_pid()')
      .forUpdate()
      .select('capture_seen', 'capture_is_broken');
    const [stored] = rows;
    if (stored === undefined) throw new LeadershipLost(epoch);
    const { capture_seen: before, capture_is_broken: wasBroken } = stored;
    const note = (columns: object) =>
      transaction.withSchema('content_read').from('sync_leader').update(columns);
    if (broken.length > 0) {
      await updateWork(transaction, [{ kind: 'add', scope: { of: 'apiKeys' } }], 0);
      if (wasBroken) return { kind: 'none' };
      await note({ capture_is_broken: true });
      return { kind: 'broken' };
    }
    const changed = before === null ? [] : differences(before, seen);
    if (before !== null && changed.length === 0 && !wasBroken) return { kind: 'none' };
    await note({ capture_seen: JSON.stringify(seen), capture_is_broken: false });
    if (changed.length === 0 && !wasBroken) return { kind: 'none' };
    const work = ['apiKeys', 'everything'] as const;
    await updateWork(
      transaction,
      work.map((of) => ({ kind: 'add', scope: { of } })),
      0,
    );
    return { kind: 'mended', changed };
  });
}

function differences(before: SeenCapture['seen'], now: SeenCapture['seen']): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).sort();
}
