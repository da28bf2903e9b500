import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { HttpServer } from '../../../src/adapters/http/http-server.js';
import { openConnection, parseAnswer, sendRaw } from '../../support/network/send-raw.js';
import { bytesGrownOldBy } from '../../support/programs/held-memory.js';

const CONNECTIONS = 20;

describe('HttpServer', () => {
  it('lets go of requests that were answered without a full collection of garbage', async () => {
    const server = new HttpServer(() => {});
    const connections = Array.from({ length: CONNECTIONS }, () => ({
      socket: new EventEmitter(),
      answered: new EventEmitter(),
    }));
    // On each connection one is always under way, as under load.
    const requestOnEach = () => {
      for (const connection of connections) {
        const response = Object.assign(new EventEmitter(), { held: new Array(100) });
        const request = { socket: connection.socket, httpVersion: '1.0' };
        server.answer(request as unknown as IncomingMessage, response as unknown as ServerResponse);
        connection.answered.emit('close');
        connection.answered = response;
      }
    };
    expect(await bytesGrownOldBy(requestOnEach, 5_000)).to.be.below(2_000);
  });

  it('takes no new connection once it retires, and ends each that is there with its next answer', async () => {
    const server = new HttpServer((_, response) => response.end('ok'));
    const address = await server.start(0, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const kept = await openConnection(address);
    kept.write(request);
    await once(kept, 'data');
    // The server has accepted it for certain once it has answered on a later one.
    const silent = await openConnection(address);
    await sendRaw(address, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));

    const retired = server.retire();
    const refused = await openConnection(address).catch((error) => error);
    expect(refused).to.have.property('code', 'ECONNREFUSED');
    for (const socket of [kept, silent]) {
      socket.write(request);
      const { status, head } = parseAnswer(await text(socket));
      expect([status, /^connection: close/im.test(head)]).to.deep.equal([200, true]);
    }
    await retired;
    await server.stop();
  });
});
