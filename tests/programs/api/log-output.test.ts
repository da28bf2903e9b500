import { expect } from 'chai';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, environmentOf } from '../../support/programs/running-programs.js';

const REQUESTS = 20;

describe('The log of the API', () => {
  let dashboard: Dashboard;
  let key: string;
  let api: RunningProgram;

  before(async () => {
    dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
  });

  afterEach(() => api.end('SIGKILL'));

  const startAndAsk = async (meanwhile: () => void) => {
    api = new RunningProgram(['api'], environmentOf(dashboard));
    const address = await addressOf(api);
    meanwhile();
    const ask = () => sendRequest(address, '/api/v1/blogs', { 'X-API-Key': key });
    return Promise.all(Array.from({ length: REQUESTS }, ask));
  };

  it('has a line for each request when the program has ended', async () => {
    await startAndAsk(() => {});
    expect(await api.end('SIGTERM')).to.equal(0);
    expect(api.output.match(/"msg":"request"/g)).to.have.length(REQUESTS);
    expect(api.output).to.match(/"msg":"stopping"}\n$/);
  });

  it('may lose its reader: the program continues, and ends on SIGTERM', async () => {
    const answers = await startAndAsk(() => api.closeOutput());
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(REQUESTS).fill(200));
    expect(await api.end('SIGTERM')).to.equal(0);
  });
});
