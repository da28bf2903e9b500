import { expect } from 'chai';
import type { WideKind, WorkItem, WorkProgress, WorkUpdate } from '../domain/model/sync-work.js';
import type { Leadership } from '../domain/ports/leadership.js';
import type { ReadModelWriter } from '../domain/ports/read-model-writer.js';
import type { WorkList } from '../domain/ports/work-list.js';

export interface WorkListSubject {
  /** Of a read model that was never filled, and that is this test's own. */
  readonly subject: WorkList;
  /** Of the same read model. */
  readonly writer: ReadModelWriter;
  readonly leadership: Leadership;
}

export const WIDE: readonly WideKind[] = ['categories', 'tags', 'websites'];
export const BEGUN: WorkProgress = { stage: 0, after: 'a', done: 1, total: null };

/** Work comes to the list, goes on and ends by what the leader writes, and in no other way. */
export async function updateUnderLead({ writer, leadership }: WorkListSubject) {
  const epoch = await leadership.claim();
  if (epoch === null) throw new Error('Another writer leads');
  return async (...work: readonly WorkUpdate[]): Promise<void> => {
    const change = await writer.write(epoch, { slices: [], work });
    expect(change).to.deep.equal({ changedRows: 0, raised: [] });
  };
}

export function itemIn(item: WorkItem | null): WorkItem {
  if (item === null) throw new Error('There is no work');
  return item;
}
