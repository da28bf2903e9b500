import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { openConnection } from '../support/network/send-raw.js';

const LIMIT = 50;

describe('Many requests on one connection', () => {
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

  it('spec 7: garbage after an answered request is a 400 and closes the connection', async () => {
    const socket = await openConnection(api.address);
    socket.write(get('/api/v1/tags'));
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
    socket.write(`garbage\r\n\r\n${get('/api/v1/tags')}`);
    expect((await text(socket)).match(/HTTP\/1\.1 \d{3}/g)).to.deep.equal(['HTTP/1.1 400']);
  });

  it('spec 7: requests before garbage are answered, and the garbage is a 400', async () => {
    const requests = get('/api/v1/blogs') + get('/api/v1/tags');
    expect(await statusesOf(`${requests}garbage\r\n\r\n`)).to.deep.equal([200, 200, 400]);
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
