import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../src/contracts/support/eventually.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';
import { answers, FlakyServer, stalls } from '../support/network/flaky-server.js';
import { problemOf } from './problem-of.js';

describe('The client, with time limits and signals,', () => {
  let api: ApiUnderTest;
  let server: FlakyServer;
  const newClient = async (options = {}) => (await clientOf(api, { url: server.address, ...options })).client;
  const reason = new Error('the visitor has left');
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => error,
    );

  before(async () => {
    api = await ApiUnderTest.start('memory');
    server = await FlakyServer.before(api.address);
  });
  beforeEach(() => server.expectTroubles());
  after(async () => {
    await server.stop();
    await api.stop();
  });

  for (const [name, trouble] of [
    ['does not arrive', () => {}],
    ['does not arrive completely', stalls],
  ] as const) {
    it(`gives up on an answer that ${name} within the time limit`, async () => {
      const client = await newClient({ timeLimitMs: 50, retries: 0 });
      server.expectTroubles(trouble);
      expect(await problemOf(client.listTags())).to.include({
        kind: 'timeout',
        status: null,
        message: 'No answer within 50 ms',
      });
    });

    it(`lets the caller cancel a call whose answer ${name}`, async () => {
      const [client, caller] = [await newClient(), new AbortController()];
      server.expectTroubles(trouble);
      const failure = failureOf(client.listTags({}, { signal: caller.signal }));
      await eventually(() => expect(server.requests).to.have.length(1));
      caller.abort(reason);
      expect(await failure).to.equal(reason);
    });
  }

  it('tries again after the time limit, with the full time limit', async () => {
    const client = await newClient({ timeLimitMs: 500 });
    server.expectTroubles(stalls);
    expect(await client.listTags()).to.deep.equal([]);
    expect(server.requests).to.have.length.of.at.least(2);
  });

  it('lets the caller cancel a call that waits for its next attempt', async () => {
    const caller = new AbortController();
    const client = await newClient();
    server.expectTroubles(answers(429, { 'Retry-After': '60' }));
    const failure = failureOf(client.listTags({}, { signal: caller.signal }));
    await eventually(() => expect(server.requests).to.have.length(1));
    await pause(50);
    caller.abort(reason);
    expect(await failure).to.equal(reason);
    expect(server.requests).to.have.length(1);
  });

  it('sends no request if the caller has already cancelled the call', async () => {
    const client = await newClient();
    const signal = AbortSignal.abort(reason);
    for (const call of [
      () => client.listBlogs({}, { signal }),
      () => client.allBlogs({}, { signal }).next(),
      () => client.getBlogById('b1', { signal }),
      () => client.getBlogBySlug('slug', { website_id: 'web_a1' }, { signal }),
      () => client.listCategories({}, { signal }),
      () => client.listTags({}, { signal }),
    ]) {
      expect(await failureOf(call())).to.equal(reason);
    }
    expect(server.requests).to.have.length(0);
  });

  it('leaves no listener on a signal that the caller reuses', async () => {
    const [client, { signal }] = [await newClient(), new AbortController()];
    server.expectTroubles(answers(500));
    await client.listTags({}, { signal });
    await client.listTags({}, { signal });
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });
});
