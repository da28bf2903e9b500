import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { ApiGroup, KeptConnection } from '../../../programs/api/api-group.js';
import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { exists } from '../../../support/exists.js';
import { askOperators } from '../../../support/programs/ask-operators.js';
import { runProgram } from '../../../support/programs/program.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PROCESSES = 2;

describe('`api --processes` with processes that fail', () => {
  const redis = sharedRedis();
  const databaseFile = join(tmpdir(), `read-database-url-${process.pid}`);
  let databaseUrl: string;
  let key: string;
  let group: ApiGroup;

  before(async () => {
    const dashboard = await Dashboard.create(1);
    databaseUrl = dashboard.readDatabaseUrl;
    key = dashboard.tenant().key;
  });

  after(() => rm(databaseFile, { force: true }));

  beforeEach(() => writeFile(databaseFile, databaseUrl));

  afterEach(() => group?.program.end('SIGKILL'));

  const start = async (environment: Record<string, string> = {}) => {
    group = await ApiGroup.start(PROCESSES, {
      READ_DATABASE_URL_FILE: databaseFile,
      REDIS_URL: redis().url,
      ...environment,
    });
    await group.isReady();
  };
  const isGone = async (pid: number) => expect(await exists(`/proc/${pid}`), String(pid)).to.equal(false);

  it('keeps the old processes if new ones do not start, and waits longer before each new attempt', async () => {
    await start();
    const [one, other] = await group.children();
    await writeFile(databaseFile, 'nothing');
    process.kill(group.program.pid, 'SIGHUP');
    await group.program.printed(/rolling restart canceled/);
    expect(await group.children()).to.have.members([one, other]);

    process.kill(Number(one), 'SIGKILL');
    const waits = await eventually(() => {
      const delays = group.logged('is replaced').map(({ inMs }) => Number(inMs));
      expect(delays.at(-1)).to.be.at.least(1_000);
      return delays;
    });
    expect(waits.slice(-2)[1]).to.be.greaterThan(waits.slice(-2)[0] ?? Number.NaN);
    expect(await group.readiness()).to.deep.include({
      code: 200,
      status: 'degraded',
    });
    expect((await group.readiness()).checks.processes.reason).to.equal('1 of 2 processes answer');
    await writeFile(databaseFile, databaseUrl);
    await group.isReady();
  });

  it('has as many processes as before if one is killed during a rolling restart', async () => {
    await start();
    const [first, last] = await group.children();
    process.kill(group.program.pid, 'SIGHUP');
    await group.program.printed(/rolling restart begins/);
    process.kill(Number(last), 'SIGKILL');
    await group.program.printed(/rolling restart has ended/);
    await isGone(Number(first));
    await group.isReady();
    await eventually(async () => expect(await group.children()).to.have.length(PROCESSES));
  });

  it('kills a process that does not answer for ten seconds, and replaces it', async () => {
    await start();
    const [hung] = await group.children();
    process.kill(Number(hung), 'SIGSTOP');
    expect((await askOperators(group.adminAddress, '/livez')).status).to.equal(200);
    await group.program.printed(/does not answer and is killed/);
    await eventually(() => isGone(Number(hung)));
    await eventually(async () => expect(await group.children()).to.have.length(PROCESSES));
    await group.isReady();
  });

  it('kills one that hangs before one that still loads, however much longer that one is silent', async () => {
    await start({ EXTENSIONS: './tests/programs/api/held-start.mjs', STOPS_PROCESS: String(PROCESSES + 1) });
    const [hung, other] = await group.children();
    process.kill(group.program.pid, 'SIGHUP');
    const loading = await eventually(async () => {
      const others = (await group.children()).filter((pid) => pid !== hung && pid !== other);
      expect(others).to.have.length(1);
      return Number(others[0]);
    });
    process.kill(Number(hung), 'SIGSTOP');
    await group.program.printed(/does not answer and is killed/);
    process.kill(loading, 'SIGCONT');
    await group.program.printed(/rolling restart has ended/);
    expect(group.logged('is killed').map(({ ofPid }) => ofPid)).to.deep.equal([hung]);
  });

  it('ends although one of its processes hangs', async () => {
    await start();
    const [hung] = await group.children();
    process.kill(Number(hung), 'SIGSTOP');
    expect(await group.program.end('SIGTERM')).to.equal(0);
    await isGone(Number(hung));
  });

  it('does not start if the port is taken, which it reports once', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, output } = await runProgram(['api', '--processes', String(PROCESSES)], {
      READ_DATABASE_URL: databaseUrl,
      REDIS_URL: redis().url,
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: '0',
      LOG_LEVEL: 'warn',
    });
    server.close();
    expect([code, output]).to.deep.equal([
      1,
      `Port ${port} of 127.0.0.1 is taken: stop the program that uses it, or set PORT to another one.\n`,
    ]);
  });

  it('is replaced on SIGHUP if it is one process, which needs no Redis', async () => {
    group = await ApiGroup.start(1, { READ_DATABASE_URL: databaseUrl });
    process.kill(group.program.pid, 'SIGHUP');
    await group.program.printed(/rolling restart has ended/);
    await new KeptConnection(group.address, key).ask();
  });

  it('leaves no process behind if the first one is killed, even with extensions in each process', async () => {
    await start({ EXTENSIONS: './tests/support/programs/own-store.mjs', OWN_TAGS: 'a' });
    const pids = await group.children();
    expect(pids).to.have.length(PROCESSES);
    const loaded = group.logged('extension loaded').map(({ pid }) => pid);
    expect(loaded).to.have.members([...pids]);
    await group.program.end('SIGKILL');
    for (const pid of pids) await eventually(() => isGone(pid));
  });
});
