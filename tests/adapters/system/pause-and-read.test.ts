import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { pauseAndRead } from '../../../src/adapters/system/pause-and-read.js';
import { StorageBreaker } from '../../../src/domain/answers/storage-breaker.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

/** Longer than the circuit breaker waits for a probe. */
const BUSY_MS = 600;
const ANSWERING_SERVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('data', () => socket.write('answer', () => Atomics.store(workerData, 0, 1)));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('A process that is busy for longer than a probe of the storage may take', () => {
  it('reads the reply that has arrived meanwhile, and does not consider the storage unavailable', async () => {
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
      const probe = () => {
        socket.write('probe');
        setImmediate(beBusy);
        return once(socket, 'data');
      };
      const breaker = new StorageBreaker(
        'content',
        probe,
        new SettableClock(),
        pauseAndRead,
        new RecordingLog(),
      );
      await breaker.run(() => Promise.reject(new Error('broken'))).catch(() => {});
      expect(breaker.isOpen).to.equal(false);
      socket.destroy();
    } finally {
      await server.terminate();
    }
  });
});
