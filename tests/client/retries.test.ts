import { expect } from 'chai';
import sinon from 'sinon';
import { BlogApiError } from '../../src/client/blog-api-error.js';
import { withRetries } from '../../src/client/with-retries.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';
import { answers, FlakyServer, hangsUp, hangsUpHalfway } from '../support/network/flaky-server.js';
import { problemOf } from './problem-of.js';

const MAX_RANDOM = 1 - 2 ** -53;

describe('The client, when a request fails,', () => {
  let api: ApiUnderTest;
  let server: FlakyServer;
  let elsewhere: FlakyServer;
  const newClient = async (options = {}) => (await clientOf(api, { url: server.address, ...options })).client;

  before(async () => {
    api = await ApiUnderTest.start('memory', { window: { limit: 3, lengthMs: 60_000 } });
    server = await FlakyServer.before(api.address);
    elsewhere = await FlakyServer.before(api.address);
  });
  beforeEach(() => {
    server.expectTroubles();
    // Without the random part, a retry follows at once.
    sinon.stub(Math, 'random').returns(0);
  });
  afterEach(() => sinon.restore());
  after(async () => {
    await Promise.all([server.stop(), elsewhere.stop()]);
    await api.stop();
  });

  for (const [name, trouble] of [
    ['a connection that is closed', hangsUp],
    ['a connection that is closed in the middle of an answer', hangsUpHalfway],
    ["a 502 of a proxy, with the proxy's own page", answers(502, {}, '<h1>Bad gateway</h1>')],
    ['a 429', answers(429, { 'Retry-After': '0' })],
  ] as const) {
    it(`tries again after ${name}`, async () => {
      const client = await newClient();
      server.expectTroubles(trouble, trouble, trouble);
      expect(await client.listTags()).to.deep.equal([]);
      expect(server.requests).to.have.length(4);
    });
  }

  for (const status of [301, 400, 401, 404, 408]) {
    it(`does not try again after a ${status}`, async () => {
      const client = await newClient();
      server.expectTroubles(answers(status, { Location: '/api/v1/tags' }));
      expect(await problemOf(client.listTags())).to.include({ status });
      expect(server.requests).to.have.length(1);
    });
  }

  it('gives up after the configured number of retries, with the last failure', async () => {
    const client = await newClient({ retries: 1 });
    server.expectTroubles(answers(503), hangsUp);
    const error = await problemOf(client.listTags());
    expect(error).to.include({ kind: 'network', status: null, message: `No answer from ${server.address}` });
    expect(error.cause).to.be.an.instanceOf(TypeError);
    expect(server.requests).to.have.length(2);
  });

  it("reports the API's error message after the last retry", async () => {
    const client = await newClient({ retries: 0 });
    server.expectTroubles(answers(500, {}, '{"error":{"message":"Internal server error","status":500}}'));
    expect(await problemOf(client.listTags())).to.include({
      kind: 'server-error',
      status: 500,
      message: 'Internal server error',
    });
  });

  it('gives up at once if it would have to wait longer than longestWaitMs, and reports how long', async () => {
    const client = await newClient({ longestWaitMs: 59_999 });
    for (let request = 1; request <= 3; request++) await client.listTags();
    const error = await problemOf(client.listTags());
    expect(error).to.include({ kind: 'rate-limited', status: 429, retryAfter: 60 });
    expect(error.resetAt).to.deep.equal(new Date(api.clock.now() + 60_000));
    expect(error.message).to.match(/^Rate limit exceeded/);
  });

  it('ignores a Retry-After that is no number of seconds, as a proxy may send it', async () => {
    const client = await newClient({ longestWaitMs: 0 });
    server.expectTroubles(
      answers(503, { 'Retry-After': 'soon' }),
      answers(503, { 'Retry-After': 'Wed, 31 Dec 2025 23:00:00 GMT' }),
    );
    expect(await client.listTags()).to.deep.equal([]);
  });

  it('does not send the key to the target of a redirect', async () => {
    const client = await newClient();
    server.expectTroubles(answers(302, { Location: `${elsewhere.address}/api/v1/tags` }));
    expect(await problemOf(client.listTags())).to.include({ kind: 'unexpected-answer', status: 302 });
    expect(elsewhere.requests).to.have.length(0);
  });
});

describe('A retry of the client', () => {
  let clock: sinon.SinonFakeTimers;
  let attempts: number[];

  beforeEach(() => {
    attempts = [];
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => sinon.restore());

  /** Between the attempts, which fail in this way until the last one. */
  async function pausesAfter(failure: BlogApiError, retries: number): Promise<readonly number[]> {
    const done = withRetries({ retries, longestWaitMs: 60_000 }, null, async () => {
      attempts.push(performance.now());
      if (attempts.length <= retries) throw failure;
    });
    await clock.runAllAsync();
    await done;
    return attempts.slice(1).map((time, index) => time - (attempts[index] ?? 0));
  }

  it('waits a random time, whose maximum doubles with each failure up to 10 s', async () => {
    sinon.stub(Math, 'random').returns(MAX_RANDOM);
    const pauses = await pausesAfter(new BlogApiError('server-error', 'fails'), 8);
    const expected = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
    for (const [index, pause] of pauses.entries()) expect(pause).to.be.closeTo(expected[index] ?? 0, 1);
    expect(pauses).to.have.length(8);
  });

  it('waits at least as long as Retry-After requires, and a random time longer', async () => {
    sinon.stub(Math, 'random').returns(MAX_RANDOM);
    const [pause] = await pausesAfter(new BlogApiError('rate-limited', 'fails', { retryAfter: 7 }), 1);
    expect(pause).to.be.within(7_100, 7_200);
  });
});
