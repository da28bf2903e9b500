import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { forwardRequests } from '../../../src/programs/api/processes/forward-requests.js';

const WITHIN_MS = 50;

describe('A request that is forwarded to the public port', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  const listening = async (server: Server): Promise<string> => {
    servers.push(server);
    server.on('connection', (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('gets a 503 if no process answers there', async () => {
    const silent = await listening(createServer(() => {}));
    const passing = await listening(createHttpServer(forwardRequests(silent, WITHIN_MS)));
    expect((await fetch(passing)).status).to.equal(503);
  });

  it('is cut off if the answer stops halfway', async () => {
    const halting = await listening(
      createServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
    );
    const passing = await listening(createHttpServer(forwardRequests(halting, WITHIN_MS)));
    const answer = await fetch(passing);
    const failure = await answer.text().catch((error: Error) => error.message);
    expect([answer.status, failure]).to.deep.equal([200, 'terminated']);
  });
});
