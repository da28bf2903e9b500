import { expect } from 'chai';
import fc from 'fast-check';

import type { Answer, AnswerKey } from '../../domain/model/answer.js';
import type { ResponseCache } from '../../domain/ports/answering/response-cache.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { capabilityOf, itNeeding, type Lacking } from '../support/capabilities.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import { wait } from '../support/wait.js';

export interface ResponseCacheSubject {
  readonly subject: ResponseCache;
  /** Moves the cache's own clock, which stands still; without it, tests wait. */
  readonly advance?: (millis: number) => Promise<void>;
}

const LONG = 60_000;
/** An external clock counts whole milliseconds from an unknown offset. */
const CLOCK_RESOLUTION_MS = 5;

export function responseCacheContract(
  runner: Runner,
  Adapter: AdapterClass<ResponseCache>,
  makeSubject: () => Promise<ResponseCacheSubject>,
  lacking: Lacking<'advance'> = {},
): void {
  const { describe, it, beforeEach } = runner;
  const itOnMovedClock = itNeeding(it, 'advance', lacking);
  describe(`${Adapter.name}, a response cache,`, () => {
    let cache: ResponseCache;
    let advance: ((millis: number) => Promise<void>) | null;

    const get = async (key: AnswerKey) => (await cache.get(key))?.answer ?? null;

    beforeEach(async () => {
      const made = await makeSubject();
      cache = made.subject;
      advance = capabilityOf(made, 'advance', lacking);
    });

    const shortLifetime = () => (advance === null ? 100 : LONG);
    const tick = (millis: number) =>
      advance === null ? wait(millis + CLOCK_RESOLUTION_MS) : advance(millis);

    itIsTestedItself(runner, Adapter, () => cache);

    it('returns an answer repeatedly, and null for one that was never stored', async () => {
      const key = newKey();
      expect(await cache.get(key)).to.equal(null);
      await cache.put(key, anAnswer('one'), LONG);
      await cache.put(newKey(), anAnswer('other'), LONG);
      for (let n = 0; n < 3; n++) expect(inHex(await get(key))).to.deep.equal(inHex(anAnswer('one')));
    });

    const someBytes = fc.uint8Array({ maxLength: 300 });
    const someAnswer: fc.Arbitrary<Answer> = fc.record({
      body: someBytes,
      etag: fc.constantFrom('"abc"', 'W/"x"', ...TROUBLESOME_TEXTS),
    });

    it('returns an answer byte by byte', async () => {
      await fc.assert(
        fc.asyncProperty(someAnswer, async (answer) => {
          const key = newKey();
          await cache.put(key, answer, LONG);
          expect(inHex(await get(key))).to.deep.equal(inHex(answer));
        }),
        { numRuns: 50 },
      );
    });

    it('returns a body of a million bytes', async () => {
      const key = newKey();
      const answer = {
        ...anAnswer(''),
        body: Uint8Array.from({ length: 1_000_000 }, (_, index) => index * 31),
      };
      await cache.put(key, answer, LONG);
      const body = Buffer.from((await get(key))?.body ?? []);
      expect(body).to.have.length(answer.body.length);
      expect(body.equals(answer.body)).to.equal(true);
    });

    it('returns the last stored answer', async () => {
      const key = newKey();
      await cache.put(key, anAnswer('older'), LONG);
      await cache.put(key, anAnswer('new'), LONG);
      expect(inHex(await get(key))).to.deep.equal(inHex(anAnswer('new')));
    });

    it('never returns an answer under another organization, generation or request', async () => {
      const key = newKey();
      const { organizationId, generation, request } = key;
      await cache.put(key, anAnswer('secret'), LONG);
      for (const other of [
        { organizationId: freshId('org') },
        { organizationId: organizationId.toUpperCase() },
        { generation: generation + 1 },
        { generation: generation - 1 },
        { generation: 0 },
        { request: `${request}&page=2` },
        { request: request.toUpperCase() },
        { request: '' },
      ]) {
        expect(await get({ ...key, ...other }), JSON.stringify(other)).to.equal(null);
      }
    });

    // What an adapter may put between the parts of a name, or remove.
    for (const separator of ['', ':', '|', '/', ',', '.', '-', '_', ' ', '","', '}', '\u0001']) {
      it(`distinguishes keys that look alike with "${separator}" between their parts`, async () => {
        const organizationId = freshId('org');
        const keys = [
          { organizationId: `${organizationId}${separator}1`, generation: 2, request: 'x' },
          { organizationId, generation: 1, request: `2${separator}x` },
          { organizationId, generation: 2, request: `${separator}1x` },
          { organizationId, generation: 12, request: 'x' },
          { organizationId: `${organizationId}${separator}1${separator}2`, generation: 0, request: 'x' },
          { organizationId, generation: 1, request: `2${separator}0${separator}x` },
        ];
        for (const [index, key] of keys.entries()) await cache.put(key, anAnswer(`answer ${index}`), LONG);
        for (const [index, key] of keys.entries()) {
          expect(inHex(await get(key))).to.deep.equal(inHex(anAnswer(`answer ${index}`)));
        }
      });
    }

    it('returns an answer until its lifetime ends, and not afterwards', async () => {
      const [short, long] = [newKey(), newKey()];
      await cache.put(short, anAnswer('short'), shortLifetime());
      await cache.put(long, anAnswer('long'), 10 * LONG);
      await tick(shortLifetime());
      expect(await get(short)).to.equal(null);
      expect(inHex(await get(long))).to.deep.equal(inHex(anAnswer('long')));
    });

    itOnMovedClock('is exact about lifetimes to the millisecond', async () => {
      const key = newKey();
      await cache.put(key, anAnswer('exact'), LONG);
      await advance?.(LONG - 1);
      expect(await get(key)).not.to.equal(null);
      await advance?.(1);
      expect(await get(key)).to.equal(null);
    });

    it('returns when the lifetime of an answer ends', async () => {
      const [short, long] = [newKey(), newKey()];
      await cache.put(short, anAnswer('short'), LONG);
      await cache.put(long, anAnswer('long'), 3 * LONG);
      const ends = await Promise.all(
        [short, long].map(async (key) => (await cache.get(key))?.expiresAt ?? 0),
      );
      expect((ends[1] ?? 0) - (ends[0] ?? 0)).to.be.closeTo(2 * LONG, LONG / 10);
    });

    it('measures a lifetime from the last put, not from the last get', async () => {
      const [renewed, read] = [newKey(), newKey()];
      await cache.put(renewed, anAnswer('old'), shortLifetime());
      await cache.put(read, anAnswer('read'), shortLifetime());
      await tick(shortLifetime() / 2);
      await get(read);
      await cache.put(renewed, anAnswer('new'), LONG);
      await tick(shortLifetime() / 2);
      expect(await get(read)).to.equal(null);
      expect(inHex(await get(renewed))).to.deep.equal(inHex(anAnswer('new')));
    });

    it('returns no answer without a lifetime', async () => {
      const key = newKey();
      await cache.put(key, anAnswer('never'), 0);
      expect(await get(key)).to.equal(null);
    });

    it('handles many concurrent answers', async () => {
      const keys = Array.from({ length: 50 }, newKey);
      await Promise.all(keys.map((key, index) => cache.put(key, anAnswer(`answer ${index}`), LONG)));
      const answers = await Promise.all(keys.map((key) => get(key)));
      expect(answers.map(inHex)).to.deep.equal(keys.map((_, index) => inHex(anAnswer(`answer ${index}`))));
    });
  });
}

function newKey(): AnswerKey {
  // As large as real generations: microseconds since 1970.
  return {
    organizationId: freshId('org'),
    generation: Date.UTC(2026, 0) * 1000 + 1,
    request: 'blogs?limit=20&page=1',
  };
}

function anAnswer(text: string): Answer {
  return { body: Buffer.from(text), etag: `"${text}"` };
}

/** For comparison: a Buffer is equivalent to any other array of bytes. */
function inHex(answer: Answer | null) {
  if (answer === null) return null;
  return { etag: answer.etag, body: Buffer.from(answer.body).toString('hex') };
}
