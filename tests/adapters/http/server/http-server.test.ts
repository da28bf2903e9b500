import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import sinon from 'sinon';
import { HttpServer } from '../../../../src/adapters/http/server/http-server.js';
import { openConnection, parseAnswer, sendRaw } from '../../../support/network/send-raw.js';
import { bytesGrownOldBy } from '../../../support/programs/held-memory.js';

const CONNECTIONS = 20;
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

describe('HttpServer', () => {
  it('releases answered requests without a full garbage collection', async () => {
    const server = new HttpServer(
      () => {},
      NO_LOG,
      () => {},
    );
    const connections = Array.from({ length: CONNECTIONS }, () => ({
      socket: new EventEmitter(),
      answered: new EventEmitter(),
    }));
    // As under load, each connection always has a request in progress.
    const requestOnEach = () => {
      for (const connection of connections) {
        const response = Object.assign(new EventEmitter(), { held: new Array(100) });
        const request = { socket: connection.socket, httpVersion: '1.0' };
        server.serve(request as unknown as IncomingMessage, response as unknown as ServerResponse);
        connection.answered.emit('close');
        connection.answered = response;
      }
    };
    expect(await bytesGrownOldBy(requestOnEach, 5_000)).to.be.below(2_000);
  });

  it('closes each open connection with its next answer while it drains', async () => {
    const server = new HttpServer(
      (_, response) => response.end('ok'),
      NO_LOG,
      () => {},
    );
    const address = await server.start(0, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const kept = await openConnection(address);
    kept.write(request);
    await once(kept, 'data');
    // An answer on a later connection proves that the server has accepted this one.
    const silent = await openConnection(address);
    await sendRaw(address, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));

    server.drain();
    for (const socket of [kept, silent]) {
      socket.write(request);
      const { status, head } = parseAnswer(await text(socket));
      expect([status, /^connection: close/im.test(head)]).to.deep.equal([200, true]);
    }
    await server.stop();
  });

  it('logs each error of a server that has started, and continues', async () => {
    const error = sinon.fake();
    const server = new HttpServer(
      ({ socket }, response) => {
        const itsServer = (socket as unknown as { readonly server: Server }).server;
        response.end(String(itsServer.emit('error', new Error('accept EMFILE'))));
      },
      { ...NO_LOG, error },
      () => {},
    );
    const address = await server.start(0, '127.0.0.1');
    for (const times of [1, 2]) {
      expect(await (await fetch(address)).text()).to.equal('true');
      expect(error.callCount).to.equal(times);
    }
    await server.stop();
  });

  it('does not start on a port that is taken, and leaves the error to its caller', async () => {
    const error = sinon.fake();
    const first = new HttpServer(
      () => {},
      NO_LOG,
      () => {},
    );
    const second = new HttpServer(
      () => {},
      { ...NO_LOG, error },
      () => {},
    );
    const port = Number(new URL(await first.start(0, '127.0.0.1')).port);
    expect(await second.start(port, '127.0.0.1').catch(({ code }) => code)).to.equal('EADDRINUSE');
    sinon.assert.notCalled(error);
    await first.stop();
  });
});
