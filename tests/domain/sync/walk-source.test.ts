import { expect } from 'chai';
import type { ContentSource } from '../../../src/domain/ports/content-source.js';
import { walkSource } from '../../../src/domain/sync/walk-source.js';

const BEGINNING = { stage: 0, after: null, done: 0, total: null };

/** With these keys, in this order. */
function sourceOf(keys: readonly string[]) {
  return {
    keys: async () => keys,
    read: async (_kind: string, ids: readonly string[]) => ({ ids, rows: [], refused: [] }),
  } as unknown as ContentSource;
}

describe('walkSource', () => {
  it('passes over no key of a source whose collation is another: what it takes beyond a piece follows on it', async () => {
    // As en_US sorts them.
    const source = sourceOf(['a1', 'A2', 'b1', 'B2']);
    const stretch = { size: 2, mostNew: 4, nextHeld: 'a5' };
    const { slice, last } = await walkSource(source, { of: 'everything' }, 'blogs', BEGINNING, stretch);
    expect(slice?.ids).to.deep.equal(['a1', 'A2']);
    expect(last).to.equal('A2');
  });
});
