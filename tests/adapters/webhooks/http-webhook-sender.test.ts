import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import sinon from 'sinon';
import { openApiDocument } from '../../../src/adapters/http/openapi/openapi-document.js';
import { HttpWebhookSender } from '../../../src/adapters/webhooks/http-webhook-sender.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { endpointAt, isSignedWith, Receiver, SECRET } from '../../support/webhooks/receiver.js';

const OTHER_SECRET = 'whsec_b2xkIHNlY3JldCBvZiBhIHJvdGF0aW9u';
const MESSAGE = {
  organizationId: 'org_a',
  generation: 1_785_000_000_123_456,
  blogs: [{ id: 'blog_1', slug: 'hello', websiteId: 'site_1' }],
  terms: false,
};
const TIME_LIMIT_MS = 15_000;
const TLS_FOLDER = 'tests/support/network/tls';

describe('HttpWebhookSender', () => {
  const clock = new SettableClock();
  const sender = new HttpWebhookSender(clock);
  let receiver: Receiver;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    receiver = await Receiver.start();
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([receiver.stop(), ...servers.splice(0).map((server) => server.close())]);
  });

  const outcomeOf = (url: string) =>
    sender.send(endpointAt(url), MESSAGE).then((refusal) => refusal?.reason ?? 'accepted');

  /** A server whose every byte the test writes. */
  async function rawServer(serve: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      serve(socket);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /** What becomes of a call that has reached the server, or its client, when the time is over. */
  async function outcomeAtLimit(serve: (socket: Socket) => void): Promise<string> {
    const timers = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let outcome: string | null = null;
      const reached = new Promise<void>((resolve) => {
        void rawServer((socket) => {
          socket.once('data', () => {
            serve(socket);
            resolve();
          });
        }).then(async (url) => {
          outcome = await outcomeOf(url);
        });
      });
      await reached;
      timers.tick(TIME_LIMIT_MS - 1);
      await new Promise(setImmediate);
      expect(outcome).to.equal(null);
      timers.tick(1);
      timers.restore();
      return await eventually(() => {
        if (outcome === null) throw new Error('The call goes on');
        return outcome;
      });
    } finally {
      timers.restore();
    }
  }

  it('posts what is promised, in JSON', async () => {
    await sender.send(endpointAt(`${receiver.url}?token=a%20b`), MESSAGE);
    const [call] = receiver.calls;
    expect(call?.method).to.equal('POST');
    expect(call?.path).to.equal('/hook?token=a%20b');
    expect(call?.headers['content-type']).to.equal('application/json');
    expect(call?.headers['webhook-timestamp']).to.equal(String(clock.now() / 1_000));
    expect(JSON.parse(call?.body ?? '')).to.deep.equal({
      type: 'content.published',
      timestamp: '2026-07-25T17:20:00.123Z',
      data: MESSAGE,
    });
  });

  it('posts what OpenAPI describes, whether what changed is known or not', async () => {
    const { components } = openApiDocument();
    const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(
      components.schemas.ContentPublished,
    );
    for (const message of [MESSAGE, { ...MESSAGE, blogs: null, terms: true }]) {
      await sender.send(endpointAt(receiver.url), message);
      const sent = JSON.parse(receiver.calls.at(-1)?.body ?? '');
      expect(validate(sent), JSON.stringify(validate.errors)).to.equal(true);
      for (const field of Object.keys(message)) {
        const { [field]: _, ...data } = sent.data;
        expect(validate({ ...sent, data }), `without ${field}`).to.equal(false);
      }
    }
  });

  it('signs it by Standard Webhooks with each secret, so that a receiver may know the old or the new one', async () => {
    clock.advance(Date.now() - clock.now());
    await sender.send(endpointAt(receiver.url, SECRET, OTHER_SECRET), MESSAGE);
    const [call] = receiver.calls;
    if (call === undefined) throw new Error('There was no call');
    expect([SECRET, OTHER_SECRET].map((secret) => isSignedWith(secret, call))).to.deep.equal([true, true]);
    expect(isSignedWith(`whsec_${Buffer.alloc(24, 'other').toString('base64')}`, call)).to.equal(false);
    expect(isSignedWith(SECRET, { ...call, body: `${call.body} ` })).to.equal(false);
  });

  it('sends the same id and body again, at another time', async () => {
    await sender.send(endpointAt(receiver.url), MESSAGE);
    clock.advance(60_000);
    await sender.send(endpointAt(receiver.url), MESSAGE);
    await sender.send(endpointAt(receiver.url), { ...MESSAGE, generation: MESSAGE.generation + 1 });
    await sender.send(endpointAt(receiver.url), { ...MESSAGE, organizationId: 'org_b' });
    const [first, again, ...others] = receiver.calls;
    const idOf = (call = first) => call?.headers['webhook-id'];
    expect(idOf(again))
      .to.match(/^[\w-]{20,}$/)
      .and.equal(idOf());
    expect(again?.body).to.equal(first?.body);
    expect(again?.headers['webhook-timestamp']).not.to.equal(first?.headers['webhook-timestamp']);
    expect(new Set([first, ...others].map((call) => idOf(call))).size).to.equal(3);
  });

  it('sends the headers of an endpoint as well, but none in place of its own', async () => {
    const headers = { Authorization: 'Bearer of-its-host', 'user-agent': 'mine', Accept: 'text/plain' };
    await sender.send({ ...endpointAt(receiver.url), headers }, MESSAGE);
    expect(receiver.calls[0]?.headers).to.include({
      authorization: 'Bearer of-its-host',
      'user-agent': 'mine',
      accept: 'text/plain',
      'content-type': 'application/json',
    });
  });

  it('passes the user and password of a URL on, as Basic authentication', async () => {
    await sender.send(endpointAt(receiver.url.replace('//', '//me:p%40ss@')), MESSAGE);
    const credentials = Buffer.from('me:p@ss').toString('base64');
    expect(receiver.calls[0]?.headers.authorization).to.equal(`Basic ${credentials}`);
  });

  for (const status of [200, 201, 204, 299]) {
    it(`takes ${status} for accepted`, async () => {
      receiver.answer = (response) => response.writeHead(status).end();
      expect(await outcomeOf(receiver.url)).to.equal('accepted');
    });
  }

  for (const status of [400, 401, 404, 410, 429, 500, 503]) {
    it(`takes ${status} for refused`, async () => {
      receiver.answer = (response) => response.writeHead(status).end('a reason');
      expect(await outcomeOf(receiver.url)).to.equal(`it answered ${status}`);
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`follows no redirect with ${status}`, async () => {
      const target = await Receiver.start();
      try {
        receiver.answer = (response) => response.writeHead(status, { Location: target.url }).end();
        expect(await outcomeOf(receiver.url)).to.equal(`it answered ${status}, and no redirect is followed`);
        expect(target.calls).to.deep.equal([]);
      } finally {
        await target.stop();
      }
    });
  }

  it('reports a Retry-After in seconds or as a date, and whether the endpoint is gone', async () => {
    const refusalWith = (status: number, retryAfter?: string) => {
      const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
      receiver.answer = (response) => response.writeHead(status, headers).end();
      return sender.send(endpointAt(receiver.url), MESSAGE);
    };
    const second = Math.floor(clock.now() / 1_000) * 1_000;
    const inAMinute = new Date(second + 60_000).toUTCString();
    const milliseconds = async (retryAfter: string) => (await refusalWith(503, retryAfter))?.retryAfterMs;
    expect(await milliseconds('120')).to.equal(120_000);
    expect(await milliseconds(inAMinute)).to.equal(second + 60_000 - clock.now());
    for (const nothing of ['', 'soon', '-5', '1.5', new Date(0).toUTCString()])
      expect(await milliseconds(nothing), nothing).to.equal(0);
    expect(await refusalWith(429)).to.include({ retryAfterMs: 0, isGone: false });
    expect(await refusalWith(410)).to.include({ reason: 'it answered 410', isGone: true });
  });

  it('reads nothing of an endless answer but its status, and ends its connection', async () => {
    let sent = 0;
    const closed = new Promise<void>((resolve) => {
      receiver.answer = (response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(64 * 1_024);
        const send = () => {
          for (let isReady = true; isReady && !response.destroyed; sent += chunk.length)
            isReady = response.write(chunk);
        };
        response.on('drain', send).on('close', resolve);
        send();
      };
    });
    expect(await outcomeOf(receiver.url)).to.equal('accepted');
    await closed;
    // What the buffers of both sides hold.
    expect(sent).to.be.below(50 * 1_024 * 1_024);
  });

  it('gives up after 15 s if nothing is answered', async () => {
    expect(await outcomeAtLimit(() => {})).to.equal('no answer within 15 s');
  });

  it('gives up after 15 s if the headers arrive byte by byte', async () => {
    expect(await outcomeAtLimit((socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: '))).to.equal(
      'no answer within 15 s',
    );
  });

  for (const status of ['100 Continue', '103 Early Hints']) {
    it(`gives up if ${status} is answered again and again`, async () => {
      const outcomeAfter = async (count: number) => {
        const answer = `${`HTTP/1.1 ${status}\r\n\r\n`.repeat(count)}HTTP/1.1 204 No Content\r\n\r\n`;
        return outcomeOf(await rawServer((socket) => socket.once('data', () => socket.write(answer))));
      };
      expect(await outcomeAfter(8)).to.equal('accepted');
      expect(await outcomeAfter(9)).to.equal('it answered 1xx again and again');
    });
  }

  it('has told a receiver as soon as its status is there, though its body never comes', async () => {
    let socket: Socket | null = null;
    const url = await rawServer((opened) => {
      socket = opened;
      opened.once('data', () => opened.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na'));
    });
    expect(await outcomeOf(url)).to.equal('accepted');
    await eventually(() => expect((socket as Socket | null)?.destroyed).to.equal(true));
  });

  const refusals: readonly [string, string | RegExp, (socket: Socket) => void][] = [
    [
      'closes the connection at once',
      /ECONNRESET|closed without|socket hang up/,
      (socket) => socket.destroy(),
    ],
    ['answers with something else', /Parse Error/, (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'sends headers without an end',
      /Parse Error: Header overflow/,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        for (let n = 0; n < 2_000; n++) socket.write(`X-${n}: ${'a'.repeat(100)}\r\n`);
      },
    ],
  ];
  for (const [what, reason, serve] of refusals) {
    it(`fails with a reason if the receiver ${what}`, async () => {
      const url = await rawServer((socket) => socket.once('data', () => serve(socket)));
      expect(await outcomeOf(url)).to.match(new RegExp(reason));
    });
  }

  it('fails with a reason if nobody listens, or the name does not exist', async () => {
    const { url } = receiver;
    await receiver.stop();
    expect(await outcomeOf(url)).to.contain('ECONNREFUSED');
    expect(await outcomeOf('http://user:secret@nowhere.invalid/secret?secret')).to.match(
      /^(?!.*secret).*(ENOTFOUND|EAI_AGAIN)/,
    );
    receiver = await Receiver.start();
  });

  it('sends nothing to a server whose certificate it does not trust', async () => {
    let requests = 0;
    const [key, cert] = ['key', 'certificate'].map((name) => readFileSync(`${TLS_FOLDER}/${name}.pem`));
    const server = createTlsServer({ key, cert }, (_, response) => {
      requests++;
      response.end();
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await outcomeOf(`https://127.0.0.1:${port}/`)).to.contain('self-signed certificate');
    // A server that does not speak TLS.
    expect(await outcomeOf(receiver.url.replace('http:', 'https:'))).not.to.equal('accepted');
    expect([requests, receiver.calls.length]).to.deep.equal([0, 0]);
  });
});
