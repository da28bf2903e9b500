import { expect } from 'chai';
import sinon from 'sinon';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';
import { answers, FlakyServer, hangsUp, hangsUpHalfway } from '../support/network/flaky-server.js';
import { problemOf } from './problem-of.js';

const MAX_RANDOM = 1 - 2 ** -53;

describe('The client, when a request fails,', () => {
  let api: ApiUnderTest;
  let server: FlakyServer;
  let elsewhere: FlakyServer;
  const clientAndWaits = (options = {}) => clientOf(api, { url: server.address, ...options });

  before(async () => {
    api = await ApiUnderTest.start('memory', { window: { limit: 3, lengthMs: 60_000 } });
    server = await FlakyServer.before(api.address);
    elsewhere = await FlakyServer.before(api.address);
  });
  beforeEach(() => server.expectTroubles());
  afterEach(() => sinon.restore());
  after(async () => {
    await Promise.all([server.stop(), elsewhere.stop()]);
    await api.stop();
  });

  for (const [name, trouble] of [
    ['a connection that is closed', hangsUp],
    ['a connection that is closed in the middle of an answer', hangsUpHalfway],
    ['a 500', answers(500)],
    ["a 502 of a proxy, with the proxy's own page", answers(502, {}, '<h1>Bad gateway</h1>')],
    ['a 503', answers(503)],
    ['a 429', answers(429, { 'Retry-After': '1' })],
  ] as const) {
    it(`tries again after ${name}`, async () => {
      const { client, waits } = await clientAndWaits();
      server.expectTroubles(trouble, trouble, trouble);
      expect(await client.listTags()).to.deep.equal([]);
      expect(waits).to.have.length(3);
      expect(server.requests).to.have.length(4);
    });
  }

  for (const status of [301, 400, 401, 403, 404, 405, 408, 418, 431]) {
    it(`does not try again after a ${status}`, async () => {
      const { client, waits } = await clientAndWaits();
      server.expectTroubles(answers(status, { Location: '/api/v1/tags' }));
      expect(await problemOf(client.listTags())).to.include({ status });
      expect(waits).to.deep.equal([]);
      expect(server.requests).to.have.length(1);
    });
  }

  it('gives up after the configured number of retries, with the last failure', async () => {
    const { client, waits } = await clientAndWaits({ retries: 1 });
    server.expectTroubles(answers(503), hangsUp);
    const error = await problemOf(client.listTags());
    expect(error).to.include({ kind: 'network', status: null, message: `No answer from ${server.address}` });
    expect(error.cause).to.be.an.instanceOf(TypeError);
    expect(waits).to.have.length(1);
  });

  it("reports the API's error message after the last retry", async () => {
    const { client } = await clientAndWaits({ retries: 0 });
    server.expectTroubles(answers(500, {}, '{"error":{"message":"Internal server error","status":500}}'));
    expect(await problemOf(client.listTags())).to.include({
      kind: 'server-error',
      status: 500,
      message: 'Internal server error',
    });
  });

  it('waits a random time, whose maximum doubles with each failure up to 10 s', async () => {
    const random = sinon.stub(Math, 'random').returns(MAX_RANDOM);
    const { client, waits } = await clientAndWaits({ retries: 8 });
    const troubles = Array.from({ length: 8 }, () => answers(500));
    server.expectTroubles(...troubles);
    await client.listTags();
    expect(waits.map(Math.ceil)).to.deep.equal([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);

    random.returns(0);
    server.expectTroubles(...troubles);
    await client.listTags();
    expect(waits.slice(8)).to.deep.equal(troubles.map(() => 0));
  });

  it('waits at least as long as Retry-After requires, and a random time longer', async () => {
    const random = sinon.stub(Math, 'random').returns(0);
    const { client, waits } = await clientAndWaits();
    server.expectTroubles(answers(429, { 'Retry-After': '7' }), answers(503, { 'Retry-After': '7' }));
    await client.listTags();
    expect(waits).to.deep.equal([7_000, 7_000]);

    random.returns(MAX_RANDOM);
    server.expectTroubles(answers(429, { 'Retry-After': '7' }));
    await client.listTags();
    expect(waits.at(-1)).to.be.within(7_001, 7_200);
  });

  it('succeeds after it has waited as long as the API requires', async () => {
    sinon.stub(Math, 'random').returns(0);
    const waits: number[] = [];
    const { client } = await clientAndWaits({
      wait: async (millis: number) => {
        waits.push(millis);
        api.clock.advance(millis);
      },
    });
    for (let request = 1; request <= 7; request++) {
      await client.listTags();
      api.clock.advance(1_000);
    }
    expect(waits).to.deep.equal([57_000, 57_000]);
  });

  it('gives up at once if it would have to wait longer than longestWaitMs, and reports how long', async () => {
    const { client, waits } = await clientAndWaits({ longestWaitMs: 59_999 });
    for (let request = 1; request <= 3; request++) await client.listTags();
    const error = await problemOf(client.listTags());
    expect(error).to.include({ kind: 'rate-limited', status: 429, retryAfter: 60 });
    expect(error.resetAt).to.deep.equal(new Date(api.clock.now() + 60_000));
    expect(error.message).to.match(/^Rate limit exceeded/);
    expect(waits).to.deep.equal([]);
  });

  it('accepts a date in Retry-After, as proxies send it, and ignores an invalid value', async () => {
    const { client, waits } = await clientAndWaits({ longestWaitMs: 0 });
    sinon.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
    server.expectTroubles(answers(503, { 'Retry-After': 'Thu, 01 Jan 2026 00:00:30 GMT' }));
    expect((await problemOf(client.listTags())).retryAfter).to.equal(30);
    server.expectTroubles(
      answers(503, { 'Retry-After': 'soon' }),
      answers(503, { 'Retry-After': 'Wed, 31 Dec 2025 23:00:00 GMT' }),
    );
    await client.listTags();
    expect(waits).to.have.length(2);
    for (const waited of waits) expect(waited).to.be.within(0, 400);
  });

  it('does not send the key to the target of a redirect', async () => {
    const { client } = await clientAndWaits();
    server.expectTroubles(answers(302, { Location: `${elsewhere.address}/api/v1/tags` }));
    expect(await problemOf(client.listTags())).to.include({ kind: 'unexpected-answer', status: 302 });
    expect(elsewhere.requests).to.have.length(0);
  });
});
