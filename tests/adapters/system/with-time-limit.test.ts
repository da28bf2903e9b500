import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { withTimeLimit } from '../../../src/adapters/system/with-time-limit.js';

const LIMIT_MS = 200;
const BUSY_MS = 300;
const ANSWERING_SERVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('data', () => socket.write('answer', () => Atomics.store(workerData, 0, 1)));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('A time limit', () => {
  it('ends the wait for an answer that does not arrive', async () => {
    const failure = await withTimeLimit(20, new Promise(() => {})).catch((error: Error) => error.message);
    expect(failure).to.equal('no answer within 20 ms');
  });

  it('does not end before a process that was busy has read what has arrived meanwhile', async () => {
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const server = new Worker(ANSWERING_SERVER, { eval: true, workerData: answered });
    try {
      const [port] = await once(server, 'message');
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const beBusy = () => {
        const end = performance.now() + BUSY_MS;
        while (performance.now() < end || Atomics.load(answered, 0) === 0);
      };
      const ask = () => {
        socket.write('question');
        setImmediate(beBusy);
        return once(socket, 'data');
      };
      expect(await withTimeLimit(LIMIT_MS, ask())).to.have.length(1);
      socket.destroy();
    } finally {
      await server.terminate();
    }
  });
});
