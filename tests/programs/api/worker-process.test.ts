import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import sinon from 'sinon';
import { WorkerProcess } from '../../../src/programs/api/processes/worker-process.js';

describe('A process of `api --processes`', () => {
  let forked: EventEmitter;
  let worker: WorkerProcess;

  beforeEach(() => {
    forked = new EventEmitter();
    sinon.stub(cluster, 'fork').returns(forked as Worker);
    worker = new WorkerProcess(true);
  });
  afterEach(() => sinon.restore());

  const report = () => forked.emit('message', { status: 'starting', checks: {}, metrics: [] });
  /** Asked every second: for how many of them it may be silent. */
  const toleratedSilence = () => {
    let seconds = 0;
    while (!worker.missesTooMany()) seconds++;
    return seconds;
  };

  it('may take a minute to load before its first report', () => {
    expect(toleratedSilence()).to.equal(60);
  });

  it('may miss ten reports after one, also while it starts', () => {
    for (let n = 0; n < 2; n++) {
      report();
      expect(toleratedSilence()).to.equal(10);
    }
  });
});
