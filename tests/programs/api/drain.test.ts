import { once } from 'node:events';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';
import { openConnection, parseAnswer } from '../../support/network/send-raw.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf, environmentOf } from '../../support/programs/running-programs.js';
import { sampleOf } from '../../support/programs/scrape.js';

/** No server listens at this address. */
const NO_REDIS = 'redis://127.0.0.1:1';
const CLIENTS = 8;
const PATH = '/api/v1/blogs';

describe('An API without its Redis', () => {
  let key: string;
  let api: RunningProgram;
  let address: string;
  let adminAddress: string;

  before(async () => {
    const dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
    api = new RunningProgram(['api'], {
      ...environmentOf(dashboard),
      REDIS_URL: NO_REDIS,
      RATE_LIMIT_MAX: '1000000',
      DRAIN_SECONDS: '10',
      ADMIN_PORT: '0',
    });
    [address, adminAddress] = [await addressOf(api), await adminAddressOf(api)];
  });

  after(() => api?.end('SIGKILL'));

  const ask = () => sendRequest(address, PATH, { 'X-API-Key': key });
  const readiness = async () => {
    const { status, text } = await askOperators(adminAddress, '/readyz');
    return [status, JSON.parse(text).status];
  };
  const isDraining = async () => expect(await readiness()).to.deep.equal([503, 'draining']);

  it('is ready but degraded, and counts the requests that it limits without Redis', async () => {
    for (let n = 0; n < 2; n++) expect((await ask()).status).to.equal(200);
    expect(await readiness()).to.deep.equal([200, 'degraded']);
    const { text } = await askOperators(adminAddress, '/metrics');
    expect(sampleOf(text, 'blog_read_api_redis_breaker_open')).to.equal(1);
    expect(sampleOf(text, 'blog_read_api_limited_without_redis_total')).to.equal(2);
  });

  it('reports first that it stops, fails no request under load, finishes the running one, and exits with 0', async () => {
    // The connection was used before, so only the unfinished request keeps it open.
    const request = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`;
    const socket = await openConnection(address);
    socket.write(`${request}\r\n`);
    await once(socket, 'data');
    socket.write(request);

    let isElsewhere = false;
    const sendRequests = async () => {
      const answers: ReceivedAnswer[] = [];
      while (!isElsewhere) answers.push(await ask());
      return answers;
    };
    const clients = Array.from({ length: CLIENTS }, sendRequests);
    const exited = api.end('SIGTERM');
    await eventually(isDraining);
    const late = await ask();
    // A load balancer stops here once it has seen the status.
    isElsewhere = true;

    const answers = (await Promise.all(clients)).flat();
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(answers.length).to.be.greaterThan(CLIENTS);
    expect(late.headers).to.include({ connection: 'close' });

    await eventually(async () => {
      const refused = await ask().catch((error) => error);
      expect(refused).to.have.property('code', 'ECONNREFUSED');
    });
    await isDraining();
    socket.write('\r\n');
    const [bytes] = await once(socket, 'data');
    const { status, head } = parseAnswer(String(bytes));
    expect([status, /^connection: close/im.test(head)]).to.deep.equal([200, true]);
    expect(await exited).to.equal(0);
  });
});
