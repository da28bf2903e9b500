import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import type { ReceivedAnswer } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';

const PATH = '/api/v1/blogs';
const NOT_WHOLE = ['', '-1', '+1', '1.0', '1e3', '0x10', '01', 'latest', 'NaN', ['1', '2']];

describe('Generations', () => {
  let api: ApiUnderTest;
  let caller: Caller;

  const generationOf = ({ headers }: ReceivedAnswer) => Number(headers['x-content-generation']);
  const atLeast = (generation: number | string) => ({ 'X-Min-Generation': String(generation) });
  const edit = (title: string) =>
    api.put('blogs', aBlog({ id: 'b1', organizationId: caller.organizationId, title }));

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
  });
  beforeEach(async () => {
    caller = await Caller.of(api);
    await edit('First');
  });
  after(() => api.stop());

  it('contract 27: every 200 and 304 names the generation of its content', async () => {
    const computed = await caller.get(PATH);
    const kept = await caller.get(PATH);
    const unchanged = await caller.get(PATH, { 'If-None-Match': '*' });
    expect(generationOf(computed)).to.be.above(0);
    expect([kept, unchanged].map(generationOf)).to.eql([generationOf(computed), generationOf(computed)]);
  });

  it('contract 27: errors have neither a generation nor a Cache-Status', async () => {
    for (const path of ['/api/v1/blogs?limit=0', '/api/v1/blogs/unknown', '/nope']) {
      expect((await caller.get(path)).headers, path).not.to.have.any.keys(
        'x-content-generation',
        'cache-status',
      );
    }
  });

  it('contract 27: Cache-Status agrees with X-Cache, and names the cache that had the answer', async () => {
    const [computed, kept] = [await caller.get(PATH), await caller.get(PATH)];
    expect(computed.headers['cache-status']).to.equal('blog-content-read-api; fwd=miss');
    expect(kept.headers['cache-status']).to.equal('blog-content-read-api; hit; detail=process');
  });

  it('contract 27: X-Min-Generation waits for a change that is not visible yet', async () => {
    const shown = generationOf(await caller.get(PATH));
    const waiting = caller.get(PATH, atLeast(shown + 1));
    await edit('Second');
    const answer = await waiting;
    expect(answer.status).to.equal(200);
    expect(generationOf(answer)).to.be.above(shown);
    expect(answer.text).to.include('Second');
  });

  it('contract 27: X-Min-Generation waits for at most a second; then the answer has an older generation', async () => {
    const shown = generationOf(await caller.get(PATH));
    let hasAnswered = false;
    const waiting = caller.get(PATH, atLeast(shown + 1)).finally(() => {
      hasAnswered = true;
    });
    let waitedMs = 0;
    for (; !hasAnswered; waitedMs += 100) {
      await pause(30);
      api.clock.advance(100);
    }
    expect(waitedMs).to.be.within(1_000, 2_000);
    const answer = await waiting;
    expect([answer.status, generationOf(answer)]).to.eql([200, shown]);
  });

  it('contract 27: X-Min-Generation is not part of the cache key', async () => {
    const first = await caller.get(PATH);
    for (const generation of [0, 1, generationOf(first)]) {
      const answer = await caller.get(PATH, atLeast(generation));
      expect([answer.headers['x-cache'], answer.text]).to.eql(['HIT', first.text]);
    }
  });

  it('contract 27: an X-Min-Generation that is no whole number is a 400, on known and on new addresses', async () => {
    await caller.get(PATH);
    for (const [index, value] of NOT_WHOLE.entries()) {
      for (const path of [PATH, `${PATH}?limit=${index + 1}`]) {
        const answer = await caller.get(path, { 'X-Min-Generation': value });
        expect(answer.status).to.equal(400);
        expect(answer.json().error.message).to.equal(
          `Invalid parameters: X-Min-Generation must be a whole number, in plain digits (got "${[value].flat().join(', ')}")`,
        );
      }
    }
  });

  it('contract 27: one 400 reports an invalid X-Min-Generation and the invalid parameters', async () => {
    const { message } = (await caller.get(`${PATH}?limit=0`, atLeast('soon'))).json().error;
    expect(message).to.match(/X-Min-Generation must be .*; limit must be /);
  });

  it('contract 9: the key, the path and the method are checked before X-Min-Generation', async () => {
    const wrong = atLeast('soon');
    expect((await caller.get(PATH, { ...wrong, 'X-API-Key': 'unknown-key-of-nobody' })).status).to.equal(401);
    expect((await caller.get('/nope', wrong)).status).to.equal(404);
    expect((await caller.send('POST', PATH, wrong)).status).to.equal(405);
  });
});
