import { expect } from 'chai';
import { connectWorker } from '../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../src/adapters/sql/worker-connection.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { startCapturedDashboard } from '../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../support/dashboards/dashboard-under-test.js';
import { referenceFeed } from '../../support/dashboards/reference-mapping.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';

const NAME = 'a worker whose host goes silent';

describe('A worker whose host loses power during a read of the feed', () => {
  let dashboard: DashboardUnderTest;
  let network: TcpProxy;
  let worker: WorkerConnection;

  const sessions = async () => {
    const { rows } = await dashboard.database.raw(
      `select backend_xmin is not null as "holdsSnapshot", state from pg_stat_activity where application_name = ?`,
      [NAME],
    );
    return rows as readonly { readonly holdsSnapshot: boolean; readonly state: string }[];
  };

  before(async () => {
    dashboard = await startCapturedDashboard();
    network = await TcpProxy.before(Number(new URL(dashboard.url).port));
    worker = connectWorker(network.url(dashboard.url), NAME);
  });
  after(async () => {
    await worker.close();
    await network.stop();
    await dashboard.stop();
  });

  it('holds its snapshot no longer than a running worker may be silent, because the server ends the session', async () => {
    let finishRead = () => {};
    const silence = new Promise<void>((resolve) => {
      finishRead = resolve;
    });
    let isInside = () => {};
    const inside = new Promise<void>((resolve) => {
      isInside = resolve;
    });
    const reading = referenceFeed(worker.database)
      .read(1, async (_, source) => {
        network.freeze();
        isInside();
        await silence;
        return source.count('blogs');
      })
      .catch((error: unknown) => error);
    await inside;
    expect(await sessions()).to.eql([{ holdsSnapshot: true, state: 'idle in transaction' }]);

    await eventually(async () => expect(await sessions()).to.eql([]));
    // Delivers the last messages of the server, as to a worker that was only cut off.
    network.release();
    finishRead();
    expect(await reading).to.be.instanceOf(Error);
  });

  it('is also detected by TCP, if the server was about to answer or the session only holds a lock', async () => {
    const other = connectWorker(dashboard.url, 'test');
    const { rows } = await other.database.raw(
      `select name, setting || coalesce(unit, '') as value from pg_settings where name like 'tcp\\_%' order by name`,
    );
    await other.close();
    expect(rows).to.eql([
      { name: 'tcp_keepalives_count', value: '3' },
      { name: 'tcp_keepalives_idle', value: '10s' },
      { name: 'tcp_keepalives_interval', value: '5s' },
      { name: 'tcp_user_timeout', value: '15000ms' },
    ]);
  });
});
