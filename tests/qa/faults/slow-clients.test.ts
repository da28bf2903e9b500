import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';
import { openConnection } from '../../support/network/send-raw.js';
import { serverBehind } from '../../support/network/server-behind.js';

/** More than the buffers of two sockets hold, and no more than is cached in memory. */
const LONG = 'x'.repeat(12_000_000);
const CLIENTS = 8;
/** Their responses take 240 MB, of which the buffers of sockets take less than half. */
const TOO_MANY_CLIENTS = 20;

describe('Clients that do not read their answers', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  let server: Server;
  let sockets: Socket[] = [];
  const connections = () => promisify(server.getConnections.bind(server))();

  before(async () => {
    api = await ApiUnderTest.start('memory');
    caller = await Caller.of(api, 'org_a');
    await api.put('blogs', aBlog({ id: 'long', contentHtml: LONG }), aBlog({ id: 'short' }));
    server = await serverBehind(() => caller.get('/api/v1/blogs/short'));
  });
  after(() => api.stop());
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  async function askAndPause(clients: number): Promise<void> {
    sockets = await Promise.all(Array.from({ length: clients }, () => openConnection(api.address)));
    await eventually(async () => expect(await connections()).to.be.above(clients));
    for (const socket of sockets) {
      socket.pause();
      socket.write(`GET /api/v1/blogs/long HTTP/1.1\r\nHost: x\r\nX-API-Key: ${caller.key}\r\n\r\n`);
    }
  }

  it('cost no copies of the answer, block no other client, and are disconnected after 30 seconds without progress', async () => {
    // Node disconnects them at the second check that finds no progress.
    expect(server).to.include({ timeout: 15_000 });
    await caller.get('/api/v1/blogs/long', { 'Accept-Encoding': 'identity' });
    const before = process.memoryUsage().rss;
    // A fraction of the time, to keep the test short; long enough to open all connections first.
    server.timeout = 2_000;
    await askAndPause(CLIENTS);
    server.timeout = 15_000;
    expect((await caller.get('/api/v1/blogs/short')).status).to.equal(200);
    expect(process.memoryUsage().rss - before).to.be.below((CLIENTS * LONG.length) / 2);
    await eventually(async () => expect(await connections()).to.be.below(CLIENTS));
  });

  it('are disconnected at once, the slowest first, while all responses together are too large', async () => {
    await askAndPause(TOO_MANY_CLIENTS);
    await eventually(async () => expect(await connections()).to.be.within(2, TOO_MANY_CLIENTS - 5));
    expect((await caller.get('/api/v1/blogs/short')).status).to.equal(200);
  });

  it('and do not close their end of a closed connection are disconnected, too', async () => {
    server.timeout = 2_000;
    sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openConnection(api.address, true)));
    await eventually(async () => expect(await connections()).to.be.above(CLIENTS));
    server.timeout = 15_000;
    for (const socket of sockets) socket.resume().write('garbage');
    await eventually(async () => expect(await connections()).to.be.below(CLIENTS));
  });
});
