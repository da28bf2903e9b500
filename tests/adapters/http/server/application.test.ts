import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { apiApplication } from '../../../../src/adapters/http/server/application.js';

const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };
const RESPONSE = { status: 200, headers: ['Content-Length', '2'], body: Buffer.from('ok') };

describe('The application', () => {
  it('writes the responses of one turn of the event loop together, when all of them are known', async () => {
    const events: string[] = [];
    const respond = async () => ({ response: RESPONSE, caller: { verdict: null }, source: null });
    const observer = { answered: () => void events.push('answered') };
    const application = apiApplication({ respond }, [], observer, NO_LOG);
    const answer = application.callback();
    const server = createServer((request, response) => {
      const end = response.end.bind(response);
      response.end = ((body: Uint8Array) => {
        events.push('written');
        return end(body);
      }) as typeof response.end;
      void answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n';
    // Node parses both when it reads the packet.
    socket.write(`${request}\r\n${request}Connection: close\r\n\r\n`);
    const received = await text(socket);
    server.close();
    expect(received.match(/ok/g)).to.have.length(2);
    expect(events).to.deep.equal(['answered', 'answered', 'written', 'written']);
  });
});
