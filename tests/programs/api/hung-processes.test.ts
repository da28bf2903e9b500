import { get } from 'node:http';
import { expect } from 'chai';
import { withTimeLimit } from '../../../src/adapters/system/with-time-limit.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { exists } from '../../support/exists.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { ApiGroup } from './api-group.js';

const PROCESSES = 2;
/** Enough connections that the hung process is given one of them. */
const CONNECTIONS = 4;
/** A rolling restart and the end of the program wait less than 20 seconds for each process that hangs. */
const ENDS_WITHIN_MS = 60_000;

describe('A process of `api --processes` that hangs with an open connection', () => {
  const redis = sharedRedis();
  let group: ApiGroup;
  let key: string;
  let databaseUrl: string;

  before(async () => {
    const dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
    databaseUrl = dashboard.readDatabaseUrl;
    group = await ApiGroup.start(PROCESSES, { READ_DATABASE_URL: databaseUrl, REDIS_URL: redis().url });
  });

  beforeEach(() => group.isReady());

  after(() => group?.program.end('SIGKILL'));

  const freeze = async (): Promise<number> => {
    const [victim] = await group.children();
    process.kill(Number(victim), 'SIGSTOP');
    let answered = 0;
    for (let at = 0; at < CONNECTIONS; at++) {
      get(`${group.address}/api/v1/tags`, { agent: false, headers: { 'X-API-Key': key } }, (answer) => {
        answered += 1;
        answer.resume();
      }).on('error', () => {});
    }
    await eventually(() => expect(answered).to.equal(CONNECTIONS - 1));
    return Number(victim);
  };

  it('does not count as a process that answers', async () => {
    const victim = await freeze();
    expect(await group.sample('blog_read_api_processes')).to.equal(PROCESSES - 1);
    process.kill(victim, 'SIGCONT');
    await group.isReady();
    expect(await group.sample('blog_read_api_processes')).to.equal(PROCESSES);
  });

  it('is replaced after it is killed, and a waiting liveness probe is answered', async () => {
    const victim = await freeze();
    const alive = askOperators(group.adminAddress, '/livez');
    process.kill(victim, 'SIGKILL');
    await group.isReady();
    expect(await group.children()).to.have.length(PROCESSES);
    expect((await alive).status).to.equal(200);
  });

  it('does not block a rolling restart', async () => {
    const victim = await freeze();
    process.kill(group.program.pid, 'SIGHUP');
    await withTimeLimit(ENDS_WITHIN_MS, group.program.printed(/rolling restart has ended/));
    expect(await exists(`/proc/${victim}`)).to.equal(false);
    expect(await group.children()).to.have.length(PROCESSES);
  });

  it('does not block the end of the program', async () => {
    const victim = await freeze();
    expect(await withTimeLimit(ENDS_WITHIN_MS, group.program.end('SIGTERM'))).to.equal(0);
    expect(await exists(`/proc/${victim}`)).to.equal(false);
  });
});
