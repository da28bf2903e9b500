import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf } from '../../support/programs/running-programs.js';

/** Three times the connections of the process. */
const SEARCHES = 30;
/** The connections that one organization may use at the same time. */
const HELD = 4;
const LOCK = 20_261_122;

describe('An organization whose searches block their connections to PostgreSQL', () => {
  let api: RunningProgram;
  let address: string;
  let database: pg.Client;
  let [greedy, other, newcomer]: Tenant[] = [];

  before(async () => {
    const dashboard = await Dashboard.create(3);
    [greedy, other, newcomer] = [dashboard.tenant(), dashboard.tenant(), dashboard.tenant()];
    api = new RunningProgram(['api'], {
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      RATE_LIMIT_MAX: '10000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    address = await addressOf(api);
    database = new pg.Client(dashboard.readDatabaseUrl);
    await database.connect();
    await database.query(`
      alter table content_read.blogs rename to stored_blogs;
      create function content_read.slowly(organization_id text) returns boolean language plpgsql as $$
        begin
          if organization_id = '${greedy.organizationId}' then perform pg_advisory_xact_lock_shared(${LOCK}); end if;
          return true;
        end $$;
      create view content_read.blogs as
        select * from content_read.stored_blogs where content_read.slowly(organization_id)`);
  });
  after(async () => {
    await api?.end('SIGKILL');
    await database?.end();
  });

  const get = (tenant: Tenant | undefined, path: string) =>
    sendRequest(address, path, { 'X-API-Key': tenant?.key ?? '' });
  const held = async () => {
    const { rows } = await database.query(
      `select count(*)::int from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`,
    );
    return rows[0].count;
  };

  it('blocks four connections and its own callers, while others are answered, including a new caller', async () => {
    await get(other, '/api/v1/blogs');
    await database.query('select pg_advisory_lock($1)', [LOCK]);
    let waiting = SEARCHES;
    const searches = Array.from({ length: SEARCHES }, (_, n) =>
      get(greedy, `/api/v1/blogs?search=title&limit=${n + 1}`).finally(() => waiting--),
    );
    await eventually(async () => expect(await held()).to.equal(HELD));

    let asked = 0;
    while (waiting > 0) {
      asked++;
      const answer = await get(asked === 1 ? newcomer : other, `/api/v1/blogs?search=title&page=${asked}`);
      expect([answer.status, answer.headers['x-cache']]).to.eql([200, 'MISS']);
      expect(await held()).to.be.at.most(HELD);
    }
    expect(asked).to.be.greaterThan(1);

    // Each request was counted once, and its answer says so whatever its outcome.
    const answers = await Promise.all(searches);
    expect(new Set(answers.map(({ status }) => status))).to.eql(new Set([500]));
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a);
    expect(left).to.eql(Array.from({ length: SEARCHES }, (_, n) => 9_999 - n));

    await database.query('select pg_advisory_unlock($1)', [LOCK]);
    expect((await get(greedy, '/api/v1/blogs?search=title')).status).to.equal(200);
  });
});
