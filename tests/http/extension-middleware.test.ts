import { expect } from 'chai';
import sinon from 'sinon';
import type { ApiMiddleware } from '../../src/adapters/http/server/application.js';
import { PinoLog } from '../../src/adapters/system/pino-log.js';
import { aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';

const TAGS = '/api/v1/tags';

describe('Middleware of extensions', () => {
  let api: ApiUnderTest;
  let caller: Caller;

  afterEach(async () => {
    sinon.restore();
    await api.stop();
  });

  async function start(...middleware: readonly ApiMiddleware[]): Promise<void> {
    const extensions = middleware.map((handler, index) => ({
      name: `extension-${index + 1}`,
      api: () => ({ middleware: [handler] }),
    }));
    api = await ApiUnderTest.start('memory', { window: { limit: 3, lengthMs: 60_000 } }, extensions);
    caller = await Caller.of(api, 'org_a');
    await api.put('tags', aTag({ id: 'tag', name: 'of the API' }));
  }

  const ask = (headers: Record<string, string> = {}, path = TAGS) =>
    fetch(`${api.address}${path}`, { headers });
  const asCaller = () => ask({ 'X-API-Key': caller.key });

  it('runs in order, before the key is checked, and sees the answer', async () => {
    const seen: unknown[] = [];
    const noting =
      (name: string): ApiMiddleware =>
      async (context, next) => {
        seen.push([name, context.path, context.state.requestId]);
        await next();
        seen.push([name, context.res.statusCode]);
      };
    await start(noting('first'), noting('second'));
    const answer = await ask({ 'X-Request-Id': 'asked' });
    expect(answer.status).to.equal(401);
    expect(seen).to.deep.equal([
      ['first', TAGS, 'asked'],
      ['second', TAGS, 'asked'],
      ['second', 401],
      ['first', 401],
    ]);
  });

  it('changes nothing in an answer except what it adds', async () => {
    await start(async (context, next) => {
      context.set('X-Our-Header', 'ours');
      await next();
    });
    for (const cache of ['MISS', 'HIT']) {
      const answer = await asCaller();
      expect(answer.status).to.equal(200);
      expect(Object.fromEntries(answer.headers)).to.include({ 'x-our-header': 'ours', 'x-cache': cache });
      expect(Object.fromEntries(answer.headers)).to.include.keys(
        'x-request-id',
        'x-ratelimit-remaining',
        'etag',
      );
      expect(await answer.json()).to.have.nested.property('data[0].name', 'of the API');
    }
  });

  it('may answer a request itself, which is not counted then', async () => {
    let isClosed = true;
    await start(async (context, next) => {
      if (!isClosed) return next();
      context.status = 503;
      context.body = 'back soon';
    });
    const answer = await ask({ 'X-API-Key': caller.key, 'X-Request-Id': 'asked' });
    expect([answer.status, await answer.text()]).to.deep.equal([503, 'back soon']);
    expect(answer.headers.get('x-request-id')).to.equal('asked');
    isClosed = false;
    expect((await asCaller()).headers.get('x-ratelimit-remaining')).to.equal('2');
  });

  it('may refuse a request in the format of all errors', async () => {
    await start((context) => context.throw(403, 'Not from this network'));
    const answer = await asCaller();
    expect(answer.status).to.equal(403);
    expect(await answer.json()).to.deep.equal({ error: { message: 'Not from this network', status: 403 } });
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.headers.get('x-request-id')).to.match(/^.+$/);
  });

  it('that fails causes a 500, whose cause is only in the log', async () => {
    const error = sinon.spy(PinoLog.prototype, 'error');
    const failures: readonly ApiMiddleware[] = [
      () => {
        throw new Error('secret');
      },
      (context) => context.throw(502, 'secret'),
    ];
    let next = 0;
    await start((context, further) => failures[next++]?.(context, further));
    for (const _ of failures) {
      const answer = await ask({ 'X-Request-Id': 'asked' });
      expect(answer.status).to.equal(500);
      expect(await answer.json()).to.deep.equal({ error: { message: 'Internal server error', status: 500 } });
      const [message, details] = error.lastCall.args;
      expect(message).to.equal('request failed');
      expect(details).to.have.property('requestId', 'asked');
      expect(details?.error).to.have.property('message', 'secret');
    }
  });

  it('that fails after the answer does not change the answer, and its error is logged', async () => {
    const error = sinon.spy(PinoLog.prototype, 'error');
    await start(async (context, next) => {
      await next();
      context.throw(400, 'too late');
    });
    const answer = await asCaller();
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.have.nested.property('data[0].name', 'of the API');
    expect(error.lastCall.args[0]).to.equal('request failed');
  });
});
