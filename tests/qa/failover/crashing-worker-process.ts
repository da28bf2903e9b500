import { ProcessMetrics } from '../../../src/adapters/system/process-metrics.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { syncWorker } from '../../../src/composition/sync-worker.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { openSession } from '../../support/sync/open-session.js';
import { watchedPorts } from '../support/sync/watched-ports.js';
import type { Order } from './crashing-worker.js';

/** The worker as composed for production, in a separate process that kills itself at a given boundary. */
const [writeDatabaseUrl = '', readDatabaseUrl = '', dashboardMapping = null] = process.argv.slice(2);
const BATCH = 3;

process.once('message', async ({ counted, dieAt }: Order) => {
  const log = new RecordingLog();
  const metrics = new ProcessMetrics();
  const session = openSession(
    { engine: dashboardOf({ writeDatabaseUrl, dashboardMapping }), readDatabaseUrl },
    metrics,
    log,
  );
  let passed = 0;
  const pass = async (boundary: string) => {
    if (counted.includes(boundary)) passed++;
    if (passed === dieAt) process.kill(process.pid, 'SIGKILL');
  };
  const ports = watchedPorts(session.ports, pass, () => BATCH);
  const worker = syncWorker(ports, metrics, log, () => true);
  let epoch: number | null = null;
  while (epoch === null) epoch = await ports.leadership.claim();
  while (await worker.step(epoch));
  await session.close();
  process.disconnect();
});
process.send?.('ready');
