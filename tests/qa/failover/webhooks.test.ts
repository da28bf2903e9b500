import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { RunningProgram } from '../../support/programs/program.js';
import { environmentOf, leads } from '../../support/programs/running-programs.js';
import { Receiver, SECRET } from '../../support/webhooks/receiver.js';
import { PostgresServer } from '../support/servers/postgres-server.js';

describe('Webhooks, after the read database failed over to a standby that lacks its last commits,', () => {
  let dashboardServer: PostgresServer;
  let readServer: PostgresServer;
  let dashboard: Dashboard;
  let receiver: Receiver;
  let folder: string;
  let worker: RunningProgram;

  before(async () => {
    [dashboardServer, readServer] = [await PostgresServer.start(), await PostgresServer.start()];
    receiver = await Receiver.start();
    dashboard = await Dashboard.create(2, {
      writeDatabaseUrl: await dashboardServer.createDatabase('dashboard'),
      readDatabaseUrl: await readServer.createDatabase('content'),
    });
    await readServer.addStandby();
    folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    const file = join(folder, 'webhooks.yaml');
    writeFileSync(file, `endpoints: [{ url: '${receiver.url}', secret: ${SECRET} }]`);
    worker = await leads(new RunningProgram(['sync'], { ...environmentOf(dashboard), WEBHOOKS: file }));
  });

  after(async () => {
    await worker?.end('SIGKILL');
    await Promise.all([dashboardServer?.stop(), readServer?.stop(), receiver?.stop()]);
    rmSync(folder, { recursive: true });
  });

  const generations = () =>
    runSql<{ organizationId: string; generation: number }>(
      dashboard.readDatabaseUrl,
      'select organization_id as "organizationId", generation::float8 as generation from content_read.organizations order by 1',
    );

  it('tell of everything that was told or was to be told, with generations that are visible', async () => {
    const [told, refused] = [dashboard.tenant(), dashboard.tenant()];
    await eventually(async () =>
      expect(
        await runSql(dashboard.readDatabaseUrl, 'select from content_read.webhook_endpoints'),
      ).to.have.length(1),
    );
    await readServer.caughtUp();
    await readServer.stopReplicating();
    await dashboard.rename(told, 'Told');
    await eventually(() => expect(receiver.calls).to.have.length(1));
    receiver.answer = (response) => response.writeHead(503).end();
    await dashboard.rename(refused, 'Refused');
    await eventually(() => expect(receiver.calls.length).to.be.at.least(2));

    await readServer.failOver();
    receiver.answer = (response) => response.writeHead(204).end();

    await eventually(async () => {
      const newest = new Map(
        receiver.messages.map(({ organizationId, generation }) => [organizationId, generation]),
      );
      expect([...newest].sort()).to.deep.equal(
        (await generations()).map(({ organizationId, generation }) => [organizationId, generation]),
      );
      const waiting = await runSql(dashboard.readDatabaseUrl, 'select from content_read.webhook_deliveries');
      expect(waiting).to.deep.equal([]);
    });
    expect(worker.output).to.contain('"readTables":"failed over"');
    const titles = await runSql(
      dashboard.readDatabaseUrl,
      'select title from content_read.blogs order by title',
    );
    expect(titles).to.deep.equal([{ title: 'Refused' }, { title: 'Told' }]);
  });
});
