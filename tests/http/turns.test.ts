import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import sinon from 'sinon';
import type { ApiMiddleware } from '../../src/adapters/http/server/application.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';

describe('An API without Redis', () => {
  it('writes the responses to requests of one turn of the event loop one after the other', async () => {
    const events: string[] = [];
    const note: ApiMiddleware = (_, next) => {
      events.push('arrived');
      return next();
    };
    const extension = { name: 'note', api: () => ({ middleware: [note] }) };
    const api = await ApiUnderTest.start('memory', {}, [extension]);
    const { key } = await Caller.of(api, 'org_a');
    const { hostname, port } = new URL(api.address);
    const sockets = [connect(Number(port), hostname), connect(Number(port), hostname)];
    const ask = () => {
      const responses = sockets.map((socket) => once(socket, 'data'));
      for (const socket of sockets)
        socket.write(`GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
      return Promise.all(responses);
    };
    try {
      // Connects, and caches the key and the answer.
      await ask();
      events.length = 0;
      const { end } = ServerResponse.prototype;
      sinon.stub(ServerResponse.prototype, 'end').callsFake(function (this: ServerResponse, ...given) {
        events.push('written');
        return Reflect.apply(end, this, given);
      });
      await ask();
      expect(events).to.deep.equal(['arrived', 'arrived', 'written', 'written']);
    } finally {
      sinon.restore();
      for (const socket of sockets) socket.destroy();
      await api.stop();
    }
  });
});
