import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { openConnection } from '../../support/network/send-raw.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf } from '../../support/programs/running-programs.js';
import { residentMegabytes } from './resident-memory.js';

/** `npm run test:faults` sets these to as many as a machine commonly allows. */
const IDLE_CONNECTIONS = Number(process.env.IDLE_CONNECTIONS ?? 1_000);
const UNKNOWN_KEYS = Number(process.env.UNKNOWN_KEYS ?? 500);
const AT_ONCE = 8;
/** More than fit into a queue of configured length. */
const BURST = 2_000;
const GOOD_REQUESTS = 100;
const MORE_MEGABYTES = 100;

describe('The API process with many concurrent requests', () => {
  let api: RunningProgram;
  let address: string;
  let tenant: Tenant;
  /** Has not sent a request yet. */
  let newcomer: Tenant;
  let sockets: Socket[];

  before(async () => {
    const dashboard = await Dashboard.create(2);
    [tenant, newcomer] = [dashboard.tenant(), dashboard.tenant()];
    api = new RunningProgram(['api'], {
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      RATE_LIMIT_MAX: '1000000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    address = await addressOf(api);
  });
  after(async () => {
    await api?.end('SIGKILL');
  });
  beforeEach(() => {
    sockets = [];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  const statusWith = async (key: string) =>
    (await sendRequest(address, '/api/v1/blogs', { 'X-API-Key': key })).status;

  /** Floods the API with different unknown keys while others use a valid one. */
  async function flood(statuses: Set<number>): Promise<void> {
    let sent = 0;
    const flooding = Array.from({ length: AT_ONCE }, async () => {
      while (sent < UNKNOWN_KEYS) {
        sent += 1;
        statuses.add(await statusWith(`unknown-key-of-nobody-${randomUUID()}`));
      }
    });
    for (let n = 0; n < GOOD_REQUESTS; n++) expect(await statusWith(tenant.key)).to.equal(200);
    await Promise.all(flooding);
  }

  it(`answers with ${IDLE_CONNECTIONS} idle connections, and uses little memory for each`, async () => {
    const before = residentMegabytes(api.pid);
    for (let opened = 0; opened < IDLE_CONNECTIONS; opened += 200) {
      sockets.push(...(await Promise.all(Array.from({ length: 200 }, () => openConnection(address)))));
    }
    for (const socket of sockets.filter((_, n) => n % 2 === 0))
      socket.write('GET /api/v1/blogs HTTP/1.1\r\n');
    expect(await statusWith(tenant.key)).to.equal(200);
    expect(sockets.filter(({ readyState }) => readyState === 'open')).to.have.length(IDLE_CONNECTIONS);
    expect(residentMegabytes(api.pid) - before).to.be.below(MORE_MEGABYTES + IDLE_CONNECTIONS / 50);
  });

  it(`refuses each of ${UNKNOWN_KEYS} unknown keys, keeps none, and continues to answer requests with valid ones`, async () => {
    const before = residentMegabytes(api.pid);
    const statuses = new Set<number>();
    await flood(statuses);
    expect([...statuses]).to.deep.equal([401]);
    expect(residentMegabytes(api.pid) - before).to.be.below(MORE_MEGABYTES);
  });

  it(`refuses each of ${BURST} simultaneous unknown keys, and accepts a valid key among them`, async () => {
    const burst = Array.from({ length: BURST }, (_, n) => statusWith(`burst-of-unknown-keys-${n}`));
    expect(await statusWith(newcomer.key)).to.equal(200);
    expect(new Set(await Promise.all(burst))).to.deep.equal(new Set([401]));
  });
});
