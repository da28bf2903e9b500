import { expect } from 'chai';
import * as mocha from 'mocha';
import { MemoryResponseCache } from '../../src/adapters/memory/memory-response-cache.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { responseCacheContract } from '../../src/contracts/cache/response-cache.contract.js';
import type { Answer } from '../../src/domain/model/answer.js';
import { SettableClock } from '../support/clock/settable-clock.js';

const ENOUGH_BYTES = 16 * 2 ** 20;

responseCacheContract(mocha, MemoryResponseCache, async () => {
  const clock = new SettableClock();
  const subject = new MemoryResponseCache(clock, ENOUGH_BYTES);
  return { subject, advance: async (millis) => clock.advance(millis) };
});

describe('On a clock that cannot be moved,', () => {
  responseCacheContract(
    mocha,
    MemoryResponseCache,
    async () => ({
      subject: new MemoryResponseCache(new SystemClock(), ENOUGH_BYTES),
    }),
    { lacks: ['advance'] },
  );
});

describe('MemoryResponseCache', () => {
  const keyOf = (request: string) => ({ organizationId: 'org', generation: 1, request });
  const answerOf = (bytes: number): Answer => ({
    body: new Uint8Array(bytes),
    etag: '""',
  });

  it('evicts the least recently used answer when its bytes are used up', async () => {
    const cache = new MemoryResponseCache(new SettableClock(), 6_500);
    for (const request of ['a', 'b', 'c']) await cache.put(keyOf(request), answerOf(1_000), 60_000);
    await cache.get(keyOf('a'));
    await cache.put(keyOf('d'), answerOf(1_000), 60_000);
    const kept = await Promise.all(['a', 'b', 'c', 'd'].map((request) => cache.get(keyOf(request))));
    expect(kept.map((answer) => answer !== null)).to.deep.equal([true, false, true, true]);
  });

  it('returns no answer that was stored at a later time than now, because the clock was set back', async () => {
    const clock = new SettableClock();
    const cache = new MemoryResponseCache(clock);
    await cache.put({ ...keyOf('a'), generation: 2 }, answerOf(1), 60_000);
    clock.advance(-1);
    expect(await cache.get({ ...keyOf('a'), generation: 2 })).to.equal(null);
    await cache.put(keyOf('a'), answerOf(1), 60_000);
    expect(await cache.get(keyOf('a'))).not.to.equal(null);
  });

  it('counts a body that is part of a larger buffer with the size of that buffer', async () => {
    const cache = new MemoryResponseCache(new SettableClock(), 200_000);
    for (let n = 0; n < 10; n++) {
      const chunk = new ArrayBuffer(64 * 1024);
      await cache.put(keyOf(`${n}`), { body: new Uint8Array(chunk, 10, 100), etag: '""' }, 60_000);
    }
    const kept = await Promise.all(Array.from({ length: 10 }, (_, n) => cache.get(keyOf(`${n}`))));
    expect(kept.filter((answer) => answer !== null)).to.have.length(3);
  });

  it('does not keep an answer that is larger than the cache, and evicts nothing for it', async () => {
    const cache = new MemoryResponseCache(new SettableClock(), 5_000);
    await cache.put(keyOf('small'), answerOf(1_000), 60_000);
    await cache.put(keyOf('huge'), answerOf(5_000), 60_000);
    expect(await cache.get(keyOf('huge'))).to.equal(null);
    expect(await cache.get(keyOf('small'))).not.to.equal(null);
  });
});
