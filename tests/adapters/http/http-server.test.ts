import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { HttpServer } from '../../../src/adapters/http/http-server.js';
import { openConnection, parseAnswer, sendRaw } from '../../support/network/send-raw.js';
import { bytesGrownOldBy } from '../../support/programs/held-memory.js';

const CONNECTIONS = 20;

describe('HttpServer', () => {
  it('releases answered requests without a full garbage collection', async () => {
    const server = new HttpServer(() => {});
    const connections = Array.from({ length: CONNECTIONS }, () => ({
      socket: new EventEmitter(),
      answered: new EventEmitter(),
    }));
    // As under load, each connection always has a request in progress.
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

  it('accepts no new connection after it retires, and closes each open one with its next answer', async () => {
    const server = new HttpServer((_, response) => response.end('ok'));
    const address = await server.start(0, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const kept = await openConnection(address);
    kept.write(request);
    await once(kept, 'data');
    // An answer on a later connection proves that the server has accepted this one.
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
