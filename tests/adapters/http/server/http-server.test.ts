import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import sinon from 'sinon';
import { HttpServer } from '../../../../src/adapters/http/server/http-server.js';
import { bytesGrownOldBy } from '../../../support/programs/held-memory.js';

const CONNECTIONS = 20;
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };
const NO_OBSERVER = { refusedUnread() {} };

describe('HttpServer', () => {
  it('releases answered requests without a full garbage collection', async () => {
    const server = new HttpServer(() => {}, NO_LOG, NO_OBSERVER);
    const connections = Array.from({ length: CONNECTIONS }, () => ({
      socket: new EventEmitter(),
      answered: new EventEmitter(),
    }));
    // As under load, each connection always has a request in progress.
    const requestOnEach = () => {
      for (const connection of connections) {
        const response = Object.assign(new EventEmitter(), { held: new Array(100) });
        const request = { socket: connection.socket, httpVersion: '1.0', rawHeaders: [] };
        server.serve(request as unknown as IncomingMessage, response as unknown as ServerResponse);
        connection.answered.emit('close');
        connection.answered = response;
      }
    };
    expect(await bytesGrownOldBy(requestOnEach, 5_000)).to.be.below(2_000);
  });

  it('counts no request that follows the last response of a connection while it drains', async () => {
    const listener = sinon.fake((_: IncomingMessage, response: ServerResponse) => {
      setImmediate(() => response.end('an answer'));
    });
    const server = new HttpServer(listener, NO_LOG, NO_OBSERVER);
    const { port } = new URL(await server.start(0, '127.0.0.1'));
    server.drain();
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    const answers = (await text(socket)).match(/an answer/g);
    await server.stop();
    expect([answers, listener.callCount]).to.deep.equal([['an answer'], 1]);
  });

  it('logs each error of a server that has started, and continues', async () => {
    const error = sinon.fake();
    const server = new HttpServer(
      ({ socket }, response) => {
        const itsServer = (socket as unknown as { readonly server: Server }).server;
        response.end(String(itsServer.emit('error', new Error('accept EMFILE'))));
      },
      { ...NO_LOG, error },
      NO_OBSERVER,
    );
    const address = await server.start(0, '127.0.0.1');
    for (const times of [1, 2]) {
      expect(await (await fetch(address)).text()).to.equal('true');
      expect(error.callCount).to.equal(times);
    }
    await server.stop();
  });
});
