import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram, runProgram } from '../../support/programs/program.js';
import { adminAddressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { isSignedWith, Receiver, SECRET } from '../../support/webhooks/receiver.js';

/** A worker that tells this receiver, and another one that never answers. */
describe('npm run sync, with WEBHOOKS,', () => {
  let dashboard: Dashboard;
  let folder: string;
  let receiver: Receiver;
  let hanging: Receiver;
  const workers: RunningProgram[] = [];

  before(async () => {
    dashboard = await Dashboard.create(13);
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    receiver = await Receiver.start();
    hanging = await Receiver.start();
    hanging.answer = () => {};
    const entry = ({ url }: Receiver) => `  - { url: '${url}?token=hidden', secret: ${SECRET} }\n`;
    writeFileSync(join(folder, 'webhooks.yaml'), `endpoints:\n${entry(receiver)}${entry(hanging)}`);
  });

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
    await Promise.all([receiver.stop(), hanging.stop()]);
    rmSync(folder, { recursive: true });
  });

  const environment = () => ({ ...environmentOf(dashboard), WEBHOOKS: join(folder, 'webhooks.yaml') });

  function startWorker(): RunningProgram {
    const worker = new RunningProgram(['sync'], environment());
    workers.push(worker);
    return worker;
  }

  async function generationOf({ organizationId }: Tenant): Promise<number> {
    const [row] = await runSql<{ generation: string }>(
      dashboard.readDatabaseUrl,
      'select generation from content_read.organizations where organization_id = $1',
      [organizationId],
    );
    return Number(row?.generation);
  }

  async function isVisible({ blogId }: Tenant, title: string): Promise<void> {
    const rows = await runSql(
      dashboard.readDatabaseUrl,
      'select from content_read.blogs where id = $1 and title = $2',
      [blogId, title],
    );
    expect(rows).to.have.length(1);
  }

  /** From now on, the receiver is told what changes. */
  async function isStored(): Promise<void> {
    await eventually(async () => {
      const stored = await runSql(
        dashboard.readDatabaseUrl,
        'select from content_read.webhook_endpoints where name like $1',
        [`${new URL(receiver.url).origin} %`],
      );
      expect(stored).to.have.length(1);
    });
  }

  async function runOnce(): Promise<void> {
    const worker = startWorker();
    await isStored();
    expect(await worker.end('SIGTERM')).to.equal(0);
  }

  const called = (times: number, by = receiver) =>
    eventually(() => expect(by.calls.length).to.be.at.least(times));
  const nothingWaits = () =>
    eventually(async () => {
      const waiting = await runSql(
        dashboard.readDatabaseUrl,
        'select from content_read.webhook_deliveries join content_read.webhook_endpoints on id = endpoint_id where name like $1',
        [`${new URL(receiver.url).origin} %`],
      );
      expect(waiting).to.deep.equal([]);
    });

  it('tells an endpoint once of an edit, signed, with the generation that shows it and the blog', async () => {
    const tenant = dashboard.tenant();
    const worker = await leads(startWorker());
    await isStored();
    await dashboard.revokeKeyOf(tenant);
    await dashboard.rename(tenant, 'Told');
    await called(1);
    await isVisible(tenant, 'Told');
    await nothingWaits();
    const [call, ...others] = receiver.calls;
    expect(others).to.deep.equal([]);
    expect(call && isSignedWith(SECRET, call)).to.equal(true);
    const [message] = receiver.messages;
    const { organizationId, blogId } = tenant;
    expect(message).to.include({ organizationId, generation: await generationOf(tenant), terms: false });
    expect(message?.blogs?.map(({ id }) => id)).to.deep.equal([blogId]);
    expect(worker.output).not.to.match(/hidden|whsec|MfKQ/);
  });

  it('tells nobody of keys', async () => {
    const tenant = dashboard.tenant();
    await leads(startWorker());
    await isStored();
    const before = await generationOf(tenant);
    await dashboard.revokeKeyOf(tenant);
    await eventually(async () => expect(await generationOf(tenant)).to.be.above(before));
    const other = dashboard.tenant();
    await dashboard.rename(other, 'After the key');
    await called(1);
    await nothingWaits();
    expect(receiver.messages.map(({ organizationId }) => organizationId)).to.deep.equal([
      other.organizationId,
    ]);
  });

  it('without WEBHOOKS, forgets the endpoints, so that an edit costs nothing any more', async () => {
    await runOnce();
    const worker = new RunningProgram(['sync'], environmentOf(dashboard));
    workers.push(worker);
    await leads(worker);
    const count = async (table: string) =>
      (await runSql(dashboard.readDatabaseUrl, `select from content_read.${table}`)).length;
    await eventually(async () => expect(await count('webhook_endpoints')).to.equal(0));
    const tenant = dashboard.tenant();
    await dashboard.rename(tenant, 'Told to nobody');
    await eventually(() => isVisible(tenant, 'Told to nobody'));
    expect(await count('webhook_changes')).to.equal(0);
  });

  it('applies edits while a receiver never answers, and ends at once when it is stopped', async () => {
    const tenant = dashboard.tenant();
    const worker = await leads(startWorker());
    await dashboard.rename(tenant, 'First');
    await called(1, hanging);
    for (const title of ['Second', 'Third', 'Fourth']) {
      await dashboard.rename(tenant, title);
      await eventually(() => isVisible(tenant, title));
    }
    await eventually(async () =>
      expect(receiver.messages.at(-1)?.generation).to.equal(await generationOf(tenant)),
    );
    expect(hanging.calls).to.have.length(1);
    expect(await worker.end('SIGTERM')).to.equal(0);
    expect(hanging.calls).to.have.length(1);
  });

  it('tells again what was sent and not answered when a worker is killed, with the same id', async () => {
    const tenant = dashboard.tenant();
    const leader = await leads(startWorker());
    const standby = startWorker();
    receiver.answer = () => {};
    await dashboard.rename(tenant, 'Sent');
    await called(1);
    receiver.answer = (response: ServerResponse) => response.writeHead(200).end();
    await leader.end('SIGKILL');
    await leads(standby);
    await called(2);
    await nothingWaits();
    const [first, again, ...others] = receiver.calls;
    expect(again?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    expect(again?.body).to.equal(first?.body);
    expect(others).to.deep.equal([]);
  });

  it('tells a receiver of what was published while no worker ran', async () => {
    const tenant = dashboard.tenant();
    await runOnce();
    await dashboard.rename(tenant, 'Written meanwhile');
    await dashboard.sync();
    startWorker();
    await called(1);
    expect(receiver.messages[0]?.generation).to.equal(await generationOf(tenant));
  });

  it('continues after the read database has ended its connections', async () => {
    const tenant = dashboard.tenant();
    await leads(startWorker());
    receiver.answer = (response: ServerResponse) =>
      void runSql(
        dashboard.readDatabaseUrl,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'blog-read-api %' and datname = current_database()",
      ).then(() => response.writeHead(200).end());
    await dashboard.rename(tenant, 'During an outage');
    await called(1);
    receiver.answer = (response: ServerResponse) => response.writeHead(200).end();
    await called(2);
    await nothingWaits();
    expect(receiver.messages[1]).to.deep.equal(receiver.messages[0]);
    expect(receiver.calls).to.have.length(2);
  });

  it('tells nobody for `sync --once`, whose changes the next worker tells', async () => {
    await runOnce();
    const tenant = dashboard.tenant();
    await dashboard.rename(tenant, 'Once');
    expect((await runProgram(['sync', '--once'], environment())).code).to.equal(0);
    expect(receiver.calls).to.deep.equal([]);
    startWorker();
    await called(1);
  });

  it('shows an endpoint that fails in /readyz, metrics and --status, until it accepts what it is told', async () => {
    const worker = await leads(startWorker());
    const address = await adminAddressOf(worker);
    const readiness = async () => JSON.parse((await askOperators(address, '/readyz')).text);
    const failing = async () =>
      /^blog_read_api_webhooks_failing (\d+)$/m.exec((await askOperators(address, '/metrics')).text)?.[1];
    const status = async () => (await runProgram(['sync', '--status'], environment())).output;
    hanging.answer = receiver.answer;
    receiver.answer = (response) => response.writeHead(503).end();
    await dashboard.rename(dashboard.tenant(), 'Refused');
    const name = `${new URL(receiver.url).origin} (endpoint 1)`;
    await eventually(async () => {
      const { checks } = await readiness();
      expect(JSON.stringify(checks.webhooks)).to.contain(`${name}: it answered 503`);
      expect(checks.webhooks.status).to.equal('degraded');
    });
    expect((await askOperators(address, '/readyz')).status).to.equal(200);
    expect(await failing()).to.equal('1');
    expect(await status()).to.match(
      /^failingWebhooks:\n {2}- endpoint: .*\(endpoint 1\)\n {4}organizations: 1\n/m,
    );
    receiver.answer = hanging.answer;
    await eventually(async () => expect((await readiness()).checks.webhooks.status).to.equal('ok'));
    expect(await failing()).to.equal('0');
    expect(await status()).not.to.contain('failingWebhooks');
  });

  it('prints no warning of Node.js, however many endpoints fail at once', async () => {
    const entry = (n: number) => `  - { url: '${receiver.url}?${n}', secret: ${SECRET} }\n`;
    const entries = Array.from({ length: 15 }, (_, n) => entry(n)).join('');
    writeFileSync(join(folder, 'webhooks.yaml'), `endpoints:\n${entries}`);
    const worker = await leads(startWorker());
    receiver.answer = (response) => response.writeHead(503).end();
    await dashboard.rename(dashboard.tenant(), 'Refused by all');
    await called(30);
    expect(worker.output).not.to.contain('Warning');
  });

  it('is not started with mistakes in the file, which are reported together', async () => {
    writeFileSync(join(folder, 'webhooks.yaml'), 'endpoints: [{ url: x, secret: y }, { url: z }]');
    for (const command of [['sync'], ['webhooks', '--test'], ['embedded']]) {
      const { code, output } = await runProgram(command, environment());
      expect([command, code, output.match(/^ {2}WEBHOOKS /gm)?.length]).to.deep.equal([command, 78, 4]);
    }
  });

  it('`webhooks --test` sends one message to each endpoint, and says what became of it', async () => {
    hanging.answer = (response) => response.writeHead(404).end();
    const { code, output } = await runProgram(['webhooks', '--test'], environment());
    expect(output.trim().split('\n')).to.deep.equal([
      `${new URL(receiver.url).origin} (endpoint 1): accepted`,
      `${new URL(hanging.url).origin} (endpoint 2): failed: it answered 404`,
    ]);
    expect(code).to.equal(1);
    const [call] = receiver.calls;
    expect(call && isSignedWith(SECRET, call)).to.equal(true);
    expect(receiver.messages[0]).to.include({ organizationId: 'test' });
  });

  it('`webhooks --test` succeeds if all accept it, and needs endpoints and the flag', async () => {
    hanging.answer = receiver.answer;
    expect((await runProgram(['webhooks', '--test'], environment())).code).to.equal(0);
    expect((await runProgram(['webhooks'], environment())).code).to.equal(64);
    const { code, output } = await runProgram(['webhooks', '--test']);
    expect(code).to.equal(78);
    expect(output).to.contain('WEBHOOKS is missing: ');
  });
});
