import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from '../../src/contracts/support/eventually.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { expectDocumented } from '../support/http/documented-answers.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { openConnection, parseAnswer, type RawAnswer, sendRaw } from '../support/network/send-raw.js';
import { serverBehind } from '../support/network/server-behind.js';

const GARBAGE = {
  'data that is not HTTP': 'garbage\r\n\r\n',
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an unknown method': 'FROB /api/v1/blogs HTTP/1.1\r\nHost: x\r\n\r\n',
  'a CONNECT': 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'a path without a slash': 'GET api/v1/blogs HTTP/1.1\r\nHost: x\r\n\r\n',
  'a space in the path': 'GET /api/v1/blogs?search=a b HTTP/1.1\r\nHost: x\r\n\r\n',
  'a NUL in a header': 'GET /api/v1/blogs HTTP/1.1\r\nHost: x\r\nX-API-Key: a\0b\r\n\r\n',
  'two Hosts': 'GET /api/v1/blogs HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n',
  'no Host': 'GET /api/v1/blogs HTTP/1.1\r\nConnection: close\r\n\r\n',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'two lengths': 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'a length and chunks':
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a folded header': 'GET / HTTP/1.1\r\nHost: x\r\nX-API-Key: a\r\n b\r\n\r\n',
  'bare line feeds': 'GET / HTTP/1.1\nHost: x\n\n',
};

function expectEnvelope({ status, head, body }: RawAnswer, expected: number): void {
  expect(status).to.equal(expected);
  expect(head).to.match(/^content-type: application\/json; charset=utf-8$/im);
  expect(head).to.match(/^cache-control: no-store$/im);
  const { error, ...rest } = JSON.parse(body);
  expect([rest, error.status, typeof error.message]).to.deep.equal([{}, expected, 'string']);
}

/** These requests are refused before they are read. The API description documents their statuses and headers. */
function expectRefusedUnread(answer: RawAnswer, status: 408 | 431): void {
  expectEnvelope(answer, status);
  const lines = answer.head.split('\r\n').slice(1);
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ')));
  expectDocumented({ method: 'GET', path: '/api/v1/blogs', status, headers, text: answer.body });
}

describe('Malformed requests', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const get = (target: string, ...headers: string[]) => {
    const lines = [
      `GET ${target} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `X-API-Key: ${caller.key}`,
      ...headers,
    ];
    return sendRaw(api.address, `${lines.join('\r\n')}\r\n\r\n`);
  };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api);
  });
  after(() => api.stop());

  for (const [what, bytes] of Object.entries(GARBAGE)) {
    it(`spec 7: ${what} is a 400 in the error envelope`, async () => {
      expectEnvelope(await sendRaw(api.address, bytes), 400);
    });
  }

  it('spec 7: headers over 8 KiB are a 431 in the error envelope', async () => {
    expectRefusedUnread(await get('/api/v1/blogs', `X-Long: ${'x'.repeat(8 * 1024)}`), 431);
    expectRefusedUnread(await get(`/api/v1/blogs?search=${'x'.repeat(8 * 1024)}`), 431);
    expectRefusedUnread(
      await get('/api/v1/blogs', ...Array.from({ length: 500 }, (_, at) => `X-${at}: ${'x'.repeat(16)}`)),
      431,
    );
    expect((await get('/api/v1/blogs', `X-Long: ${'x'.repeat(7 * 1024)}`)).status).to.equal(200);
  });

  it('spec 7: an address of 5 KiB is handled like any other', async () => {
    const long = 'x'.repeat(5 * 1024);
    expectEnvelope(await get(`/api/v1/blogs?search=${long}`), 400);
    expectEnvelope(await get(`/api/v1/blogs/${long}`), 404);
    expectEnvelope(await get(`/${'/'.repeat(5 * 1024)}`), 404);
    expect((await get(`/api/v1/blogs?unknown=${long}`)).status).to.equal(200);
    expect((await get(`/api/v1/blogs?${'&'.repeat(5 * 1024)}`)).status).to.equal(200);
    expectEnvelope(await get(`/api/v1/blogs?${'page=1&'.repeat(700)}`), 400);
  });

  it('spec 7: an unknown Expect header is ignored, or refused in the error envelope', async () => {
    const answer = await get('/api/v1/blogs', 'Expect: the-unexpected');
    if (answer.status !== 200) expectEnvelope(answer, 417);
  });

  it('contract 20: a second key is noticed behind any number of headers', async () => {
    const headers = [...Array<string>(2_000).fill('a:'), `X-API-Key: ${caller.key}`];
    expectEnvelope(await get('/api/v1/blogs', ...headers), 401);
  });

  it('spec 7: an unsupported upgrade is ignored', async () => {
    const answer = await get('/api/v1/blogs', 'Upgrade: websocket, h2c');
    expect(answer.status).to.equal(200);
  });

  it('spec 7: an absolute URL as the target is handled like a path', async () => {
    expect((await get('http://example.com/api/v1/blogs?limit=1')).status).to.equal(200);
    expectEnvelope(await get('http://example.com/api/v1/blogs?limit=0'), 400);
    expectEnvelope(await get('http://example.com/nope'), 404);
  });

  for (const target of [
    'http://[',
    'http://[/api/v1/blogs',
    'http://a:99999/',
    'http://%/',
    'http://\xff/',
    'http:///',
    'x://y',
    '//?@&1=#',
  ]) {
    it(`contract 5: the target ${escape(target)} is a 400 or 404, never a 500`, async () => {
      const answer = await get(target);
      expect(answer.status).to.be.oneOf([400, 404]);
      expectEnvelope(answer, answer.status);
    });

    it(`contract 9: the target ${escape(target)} is a 401 without a valid key`, async () => {
      const answer = await sendRaw(
        api.address,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      // Node's parser refuses some targets with a 400 before the API can check the key.
      if (answer.status !== 400) expectEnvelope(answer, 401);
    });
  }

  for (const bytes of ['GET /api', GARBAGE['a CONNECT']]) {
    it(`spec 7: the API still answers after a connection was reset behind ${escape(bytes)}`, async () => {
      const socket = await openConnection(api.address);
      socket.write(bytes);
      socket.resetAndDestroy();
      await once(socket, 'close');
      expect((await caller.get('/api/v1/blogs')).status).to.equal(200);
    });
  }

  it('spec 7: a client that keeps its connection open after a CONNECT is disconnected', async () => {
    const socket = (await openConnection(api.address, true)).on('error', () => {});
    socket.write(GARBAGE['a CONNECT']);
    await once(socket.resume(), 'end');
    await eventually(async () => {
      socket.write('more');
      expect(socket.destroyed).to.equal(true);
    });
  });

  it('spec 7: headers that take longer than 10 seconds are refused with a 408', async () => {
    const server = await serverBehind(() => caller.get('/api/v1/tags'));
    expect(server).to.include({ headersTimeout: 10_000, requestTimeout: 30_000 });
    // The test waits only a hundredth of this time. The server checks once a second.
    server.headersTimeout = 100;
    const socket = await openConnection(api.address);
    socket.write('GET /api/v1/blogs HTTP/1.1\r\nHost: x\r\n');
    const silent = await openConnection(api.address);
    for (const slow of [socket, silent]) expectRefusedUnread(parseAnswer(await text(slow)), 408);
    server.headersTimeout = 10_000;
  });

  it('a request that is answered before its body arrives gets no second answer', async () => {
    const server = await serverBehind(() => caller.get('/api/v1/tags'));
    // The test waits only a hundredth of these times.
    Object.assign(server, { headersTimeout: 100, requestTimeout: 300 });
    const socket = await openConnection(api.address);
    socket.write(
      `GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nX-API-Key: ${caller.key}\r\nContent-Length: 5\r\n\r\n`,
    );
    const received = await text(socket);
    Object.assign(server, { headersTimeout: 10_000, requestTimeout: 30_000 });
    expect(received.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200']);
  });
});

describe('Many requests on one connection', () => {
  const LIMIT = 50;
  let api: ApiUnderTest;
  let caller: Caller;

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE, { window: { limit: LIMIT, lengthMs: 60_000 } });
  });
  beforeEach(async () => {
    caller = await Caller.of(api);
  });
  after(() => api.stop());

  const get = (path: string, ...lines: readonly string[]) =>
    [`GET ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${caller.key}`, ...lines, '', ''].join('\r\n');

  /** Sends all bytes at once, and reads the statuses until the server closes the connection. */
  async function statusesOf(bytes: string): Promise<number[]> {
    const socket = await openConnection(api.address);
    socket.write(bytes, 'latin1');
    return [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  it('spec 8: pipelined requests are answered in order, up to the limit', async () => {
    const [refused, over] = [['/api/v1/blogs?limit=0', '/nope', '/api/v1/tags'], 30];
    const tags = Array<string>(LIMIT - refused.length + over).fill('/api/v1/tags');
    const requests = [...refused, ...tags].map((path) => get(path));
    expect(await statusesOf(requests.join('') + get('/api/v1/tags', 'Connection: close'))).to.deep.equal([
      ...[400, 404, 200],
      ...Array(LIMIT - refused.length).fill(200),
      ...Array(over + 1).fill(429),
    ]);
  });

  it('spec 7: requests before garbage are answered, and the garbage is a 400 that closes the connection', async () => {
    const requests = get('/api/v1/blogs') + get('/api/v1/tags');
    expect(await statusesOf(`${requests}garbage\r\n\r\n${requests}`)).to.deep.equal([200, 200, 400]);
    const connect = 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await statusesOf(`${requests}${connect}${requests}`)).to.deep.equal([200, 200, 400]);
  });

  it('spec 7: the body of a GET is never treated as a request', async () => {
    const body = get('/nope');
    const first = get('/api/v1/tags', `Content-Length: ${body.length}`);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const second = get('/api/v1/tags', 'Transfer-Encoding: chunked');
    const last = get('/api/v1/categories', 'Connection: close');
    expect(await statusesOf(first + body + second + chunked + last)).to.deep.equal([200, 200, 200]);
  });

  it('spec 7: a GET is answered before its body arrives, and even if it never arrives', async () => {
    const socket = await openConnection(api.address);
    socket.write(get('/api/v1/tags', 'Content-Length: 1000000'));
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
