import cluster from 'node:cluster';
import { expect } from 'chai';
import sinon from 'sinon';
import { ProcessGroup } from '../../../src/programs/api/processes/process-group.js';

describe('ProcessGroup', () => {
  afterEach(() => sinon.restore());

  it('logs that a process cannot be created for a rolling restart, and restarts at the next request', async () => {
    const fork = sinon.stub(cluster, 'fork').throws(new Error('too many processes'));
    const error = sinon.fake();
    const log = { debug() {}, info() {}, warn() {}, error };
    const group = new ProcessGroup(1, log, { count() {} }, 1_000);
    for (const times of [1, 2]) {
      await group.restart();
      expect([fork.callCount, error.callCount]).to.deep.equal([times, times]);
    }
    sinon.assert.alwaysCalledWith(error, 'rolling restart failed');
  });
});
