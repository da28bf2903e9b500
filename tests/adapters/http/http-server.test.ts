import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { HttpServer } from '../../../src/adapters/http/http-server.js';
import { bytesGrownOldBy } from '../../support/held-memory.js';

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
});
