import { expect } from 'chai';
import { ProcessMetrics } from '../../src/adapters/system/process-metrics.js';
import { SyncLoop } from '../../src/composition/sync/sync-loop.js';
import type { SyncSession } from '../../src/composition/sync/sync-session.js';
import { NotedLog } from '../support/noted-log.js';

describe('SyncLoop', () => {
  it('gives the check its turn though there is always something else to do, and counts what it mends', async () => {
    let [checks, watches] = [0, 0];
    const session = {
      ports: { leadership: { claim: async () => 1 } },
      worker: {
        step: async () => true,
        checkPiece: async () => ++checks,
      },
      capture: { run: async () => void watches++ },
      requireTables: async () => {},
      requireKnownDashboard: async () => {},
      recognise: async () => {},
      close: async () => {},
    } as unknown as SyncSession;
    const [metrics, log] = [new ProcessMetrics(), new NotedLog()];
    const loop = new SyncLoop(() => session, 10, metrics, log);
    // A step that never waits would leave no turn to the timers of this test.
    await loop.runUntil(() => new Promise((resolve) => setImmediate(() => resolve(checks === 2))));

    expect(metrics.of('row-repaired')).to.equal(3);
    expect(watches).to.equal(1);
  });
});
