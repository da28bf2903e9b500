import { expect } from 'chai';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { BINARY, RunningProgram } from '../../support/programs/program.js';
import { RunningProcess } from '../../support/programs/running-process.js';
import { addressOf, environmentOf } from '../../support/programs/running-programs.js';

const REQUESTS = 20;
/** Their lines take more than a pipe and the buffer of its reader. */
const LINES_OF_FULL_PIPE = 1_000;

describe('The log of the API', () => {
  let dashboard: Dashboard;
  let key: string;
  let api: RunningProcess;

  before(async () => {
    dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
  });

  afterEach(() => api.end('SIGKILL'));

  const statusesOf = async (address: string, requests: number) => {
    const statuses = new Set<number>();
    for (let n = 0; n < requests; n++) {
      statuses.add((await sendRequest(address, '/api/v1/blogs', { 'X-API-Key': key })).status);
    }
    return statuses;
  };

  it('may have a reader that stops: the program answers, and ends on SIGTERM', async () => {
    api = new RunningProgram(['api'], environmentOf(dashboard));
    const address = await addressOf(api);
    api.leaveOutput();
    expect(await statusesOf(address, LINES_OF_FULL_PIPE)).to.deep.equal(new Set([200, 429]));
    expect(await api.end('SIGTERM')).to.equal(0);
  });

  it('may go to a disk that is full: the program answers, and ends on SIGTERM', async () => {
    const port = await freePort();
    const environment = { ...environmentOf(dashboard), PORT: String(port), PATH: process.env.PATH };
    const program = ['-c', 'exec "$@" > /dev/full', 'sh', process.execPath, BINARY, 'api'];
    api = new RunningProcess('sh', program, environment, process.cwd());
    const address = `http://127.0.0.1:${port}`;
    await eventually(() => statusesOf(address, 1));
    expect(await statusesOf(address, REQUESTS)).to.deep.equal(new Set([200]));
    expect(await api.end('SIGTERM')).to.equal(0);
  });

  it('may lose its reader: the program continues, and ends on SIGTERM', async () => {
    api = new RunningProgram(['api'], environmentOf(dashboard));
    const address = await addressOf(api);
    api.closeOutput();
    expect(await statusesOf(address, REQUESTS)).to.deep.equal(new Set([200]));
    expect(await api.end('SIGTERM')).to.equal(0);
  });
});
