import { expect } from 'chai';
import sinon from 'sinon';
import type { ApiMiddleware } from '../../src/adapters/http/server/application.js';
import { PinoLog } from '../../src/adapters/system/pino-log.js';
import { aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';

const TAGS = '/api/v1/tags';

const failing =
  (message: string, properties = {}): ApiMiddleware =>
  () => {
    throw Object.assign(new Error(message), properties);
  };

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
        seen.push([name, context.status]);
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

  const throwing =
    (error: unknown): ApiMiddleware =>
    () => {
      throw error;
    };
  for (const [what, middleware] of Object.entries<ApiMiddleware>({
    'a header that cannot be sent': (context) => context.throw(403, 'no', { headers: { 'X-Bad': 'a\nb' } }),
    'a header without a value': (context) => context.throw(403, 'no', { headers: { 'X-Bad': undefined } }),
    'a message that is no text': throwing({ status: 403, expose: true, message: Object.create(null) }),
    'no state left': (context) => {
      Object.assign(context, { state: {} });
      throw new Error('no state');
    },
  }))
    it(`is answered with an error of the API, logged and counted after an error with ${what}`, async () => {
      const log = sinon.spy(PinoLog.prototype, 'info');
      await start(middleware);
      const answer = await ask({ 'X-Request-Id': 'asked' });
      expect(answer.status).to.equal(500);
      expect(answer.headers.get('x-request-id')).to.equal('asked');
      expect(await answer.json()).to.deep.equal({ error: { message: 'Internal server error', status: 500 } });
      expect(log.args.filter(([message]) => message === 'request')).to.have.length(1);
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

  it('sees the plain body of the answer, and may replace it', async () => {
    await start(async (context, next) => {
      await next();
      if (context.status === 200) context.body = { tags: JSON.parse(String(context.body)).data };
    });
    await api.put('tags', aTag({ id: 'long', name: 'y'.repeat(3_000) }));
    let etag = '';
    for (const cache of ['MISS', 'HIT']) {
      const answer = await asCaller();
      etag = String(answer.headers.get('etag'));
      expect([answer.status, answer.headers.get('x-cache')]).to.deep.equal([200, cache]);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await answer.json()).to.have.nested.property('tags[0].name', 'of the API');
    }
    expect((await ask({ 'X-API-Key': caller.key, 'If-None-Match': etag })).status).to.equal(304);
  });

  it('may change status and headers of the answer', async () => {
    await start(async (context, next) => {
      await next();
      context.status = 203;
      context.set('X-Cache', context.response.get('X-Cache').toLowerCase());
      context.remove('ETag');
    });
    const answer = await asCaller();
    expect([answer.status, answer.headers.get('x-cache')]).to.deep.equal([203, 'miss']);
    expect(answer.headers.has('etag')).to.equal(false);
    expect(await answer.json()).to.have.nested.property('data[0].name', 'of the API');
  });

  for (const [what, fail, status, message, isLogged] of [
    ['by `ctx.throw`', (context) => context.throw(403, 'Not from here'), 403, 'Not from here', false],
    ['with `expose`', failing('Not today', { status: 418, expose: true }), 418, 'Not today', false],
    ['below 400', failing('secret', { status: 200 }), 500, 'Internal server error', true],
    ['whose status is a text', failing('secret', { status: '404' }), 500, 'Internal server error', true],
    ['without a status', failing('secret'), 500, 'Internal server error', true],
    ['of the server', (context) => context.throw(503, 'secret'), 503, 'Service Unavailable', true],
    ['that is not exposed', failing('secret', { status: 404 }), 404, 'Not Found', true],
    ['that is no object', () => Promise.reject(null), 500, 'Internal server error', true],
  ] as const satisfies readonly (readonly [string, ApiMiddleware, number, string, boolean])[]) {
    it(`answers ${status} in the envelope of all errors to an error ${what}`, async () => {
      const error = sinon.spy(PinoLog.prototype, 'error');
      await start((context, next) => {
        context.set('X-Our-Header', 'ours');
        return fail(context, next);
      });
      const answer = await ask({ 'X-Request-Id': 'asked' });
      expect(answer.status).to.equal(status);
      expect(await answer.json()).to.deep.equal({ error: { message, status } });
      expect(Object.fromEntries(answer.headers)).to.include({
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': 'asked',
      });
      expect(answer.headers.has('x-our-header')).to.equal(false);
      expect(error.args.map(([text, details]) => [text, details?.requestId])).to.deep.equal(
        isLogged ? [['request failed', 'asked']] : [],
      );
    });
  }

  it('sends the headers of its error', async () => {
    await start((context) => context.throw(503, 'closed', { headers: { 'Retry-After': '7' } }));
    expect((await asCaller()).headers.get('retry-after')).to.equal('7');
  });

  it('that fails after the answer refuses it, with the headers of the limit and none of the answer', async () => {
    await start(async (context, next) => {
      await next();
      context.throw(403, 'Not this one');
    });
    await api.put('tags', aTag({ id: 'long', name: 'y'.repeat(3_000) }));
    const answer = await asCaller();
    expect(answer.status).to.equal(403);
    expect(await answer.json()).to.deep.equal({ error: { message: 'Not this one', status: 403 } });
    expect(answer.headers.get('x-ratelimit-remaining')).to.equal('2');
    for (const header of ['etag', 'x-cache', 'content-encoding'])
      expect(answer.headers.has(header)).to.equal(false);
  });

  it('that fails after it has written the response itself does not change it, and is logged', async () => {
    const error = sinon.spy(PinoLog.prototype, 'error');
    await start((context) => {
      context.respond = false;
      context.res.end('ours');
      context.throw(400, 'too late');
    });
    expect(await (await asCaller()).text()).to.equal('ours');
    expect(error.lastCall.args[0]).to.equal('request failed');
  });
});
