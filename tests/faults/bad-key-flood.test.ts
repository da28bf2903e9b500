import { expect } from 'chai';
import { RememberingKeyDirectory } from '../../src/adapters/memory/remembering-key-directory.js';
import type { KnownKey } from '../../src/domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../src/domain/ports/api-key-directory.js';
import { aKey } from '../support/rows.js';
import { SettableClock } from '../support/settable-clock.js';

/** Takes a turn of the event loop for each look-up, and counts them. */
class SlowDirectory implements ApiKeyDirectory {
  readonly known = new Map<string, KnownKey>();
  lookUps = 0;
  atOnce = 0;
  mostAtOnce = 0;

  async find(hash: string): Promise<KnownKey | null> {
    this.lookUps += 1;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await new Promise(setImmediate);
    this.atOnce -= 1;
    return this.known.get(hash) ?? null;
  }
}

describe('A flood of 5,000 bad keys', () => {
  let clock: SettableClock;
  let table: SlowDirectory;
  let directory: RememberingKeyDirectory;

  beforeEach(() => {
    clock = new SettableClock();
    table = new SlowDirectory();
    directory = new RememberingKeyDirectory(table, clock);
    for (const id of ['good', 'cold']) {
      const key = aKey({ id });
      table.known.set(key.hash, { key, generation: 5 });
    }
  });

  const flood = (count: number, from = 0) =>
    Promise.allSettled(Array.from({ length: count }, (_, n) => directory.find(`bad-${from + n}`, 0)));

  it('reaches the database four at a time, and what cannot wait is refused, not taken for unknown', async () => {
    const outcomes = await flood(5_000);
    expect(table.mostAtOnce).to.equal(4);
    const answered = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(answered.length).to.be.at.least(1_000);
    expect(table.lookUps).to.equal(answered.length);
  });

  it('costs a key that is known no look-up and no wait', async () => {
    await directory.find('hash-of-good', 0);
    const underway = flood(5_000);
    const before = table.lookUps;
    for (let n = 0; n < 100; n++) expect((await directory.find('hash-of-good', 5))?.key.id).to.equal('good');
    expect(table.lookUps - before).to.equal(0);
    await underway;
  });

  it('does not make a known key wait whose organization has changed', async () => {
    await directory.find('hash-of-good', 0);
    const underway = flood(1_000);
    table.known.set('hash-of-good', { key: aKey({ id: 'good', revokedAt: 1 }), generation: 6 });
    const waited = table.lookUps;
    expect((await directory.find('hash-of-good', 6))?.key.revokedAt).to.equal(1);
    expect(table.lookUps - waited).to.be.at.most(10);
    await underway;
  });

  it('asks once for one bad key, however often it is sent, and again after a second', async () => {
    await Promise.all(Array.from({ length: 5_000 }, () => directory.find('bad', 0)));
    expect(table.lookUps).to.equal(1);
    clock.advance(999);
    expect(await directory.find('bad', 0)).to.equal(null);
    expect(table.lookUps).to.equal(1);
    clock.advance(1);
    expect(await directory.find('bad', 0)).to.equal(null);
    expect(table.lookUps).to.equal(2);
  });

  it('leaves room for a new key as soon as it is over', async () => {
    await flood(5_000);
    expect((await directory.find('hash-of-cold', 0))?.key.id).to.equal('cold');
  });
});
