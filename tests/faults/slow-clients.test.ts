import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../src/contracts/support/eventually.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { openConnection } from '../support/network/send-raw.js';
import { serverBehind } from '../support/network/server-behind.js';

/** More than the buffers of two sockets hold, and no more than is cached in memory. */
const LONG = 'x'.repeat(12_000_000);
const CLIENTS = 20;

describe(`${CLIENTS} clients that do not read their answers`, () => {
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

  it('cost no copies of the answer, block no other client, and are disconnected after 30 seconds without progress', async () => {
    expect(server).to.include({ timeout: 30_000 });
    await caller.get('/api/v1/blogs/long', { 'Accept-Encoding': 'identity' });
    const before = process.memoryUsage().rss;
    // A fifteenth of the time, to keep the test short; long enough to open all connections first.
    server.timeout = 2_000;
    sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openConnection(api.address)));
    await eventually(async () => expect(await connections()).to.be.above(CLIENTS));
    server.timeout = 30_000;
    for (const socket of sockets) {
      socket.pause();
      socket.write(`GET /api/v1/blogs/long HTTP/1.1\r\nHost: x\r\nX-API-Key: ${caller.key}\r\n\r\n`);
    }
    expect((await caller.get('/api/v1/blogs/short')).status).to.equal(200);
    expect(process.memoryUsage().rss - before).to.be.below((CLIENTS * LONG.length) / 2);
    await eventually(async () => expect(await connections()).to.be.below(CLIENTS));
  });

  it('and do not close their end of a closed connection are disconnected, too', async () => {
    server.timeout = 2_000;
    sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openConnection(api.address, true)));
    await eventually(async () => expect(await connections()).to.be.above(CLIENTS));
    server.timeout = 30_000;
    for (const socket of sockets) socket.resume().write('garbage');
    await eventually(async () => expect(await connections()).to.be.below(CLIENTS));
  });
});
