import { expect } from 'chai';
import { READABLE_TABLES } from '../../../src/adapters/postgres/read/read-table.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { adminAddressOf } from '../../support/programs/running-programs.js';
import { GrantedRoles } from '../granted-roles.js';

describe('/readyz of an API', () => {
  let granted: GrantedRoles;
  let api: RunningProgram;
  let admin: string;

  before(async () => {
    granted = await GrantedRoles.create(1);
    api = new RunningProgram(['api'], {
      READ_DATABASE_URL: granted.api.urlOf(granted.dashboard.readDatabaseUrl),
      REDIS_URL: 'redis://127.0.0.1:1',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    admin = await adminAddressOf(api);
  });
  after(async () => {
    await api?.end('SIGKILL');
    await granted?.drop();
  });

  const readiness = async () => {
    const { status, text } = await askOperators(admin, '/readyz');
    return { status, ...JSON.parse(text).checks.readDatabase };
  };
  const isReady = () => eventually(async () => expect((await readiness()).status).to.equal('ok'));

  it('comes after a line in the log that says why Redis is unavailable, before any request', async () => {
    await api.printed(/"reason":"connect ECONNREFUSED 127.0.0.1:1".*"msg":"Redis is unavailable/);
  });

  async function withoutRightOn(table: string, expectState: () => Promise<void>): Promise<void> {
    const run = (verb: string, of: string) =>
      granted.readOwner.raw(`${verb} select on content_read.${table} ${of} ${granted.api.name}`);
    await isReady();
    await run('revoke', 'from');
    await expectState().finally(() => run('grant', 'to'));
  }

  for (const table of READABLE_TABLES) {
    it(`is 503 while the right to read ${table} is lost, and names it`, () =>
      withoutRightOn(table, async () => {
        const { status, reason, advice } = await readiness();
        expect([status, reason]).to.eql(['failed', `42501: permission denied for table ${table}`]);
        expect(advice).to.include('--with-grants');
      }));
  }

  it('is degraded while the right to read organizations is lost: nothing is current, so the cache serves', () =>
    withoutRightOn('organizations', async () => {
      const { status, reason } = await readiness();
      expect([status, reason]).to.eql([
        'degraded',
        'answers come from the cache: 42501: permission denied for table organizations',
      ]);
    }));

  it('is 503 while the read tables lack a column that requests read, and names it', async () => {
    const rename = (from: string, to: string) =>
      granted.readOwner.raw(`alter table content_read.tags rename column ${from} to ${to}`);
    await isReady();
    await rename('color', 'colour');
    try {
      const { status, reason } = await readiness();
      expect([status, reason]).to.eql(['failed', '42703: column "color" does not exist']);
    } finally {
      await rename('colour', 'color');
    }
    await isReady();
  });

  it('is 503 while the table of keys is locked', async () => {
    await isReady();
    const lock = await granted.readOwner.transaction();
    try {
      await lock.raw('lock table content_read.api_keys in access exclusive mode');
      expect((await readiness()).status).to.equal('failed');
    } finally {
      await lock.rollback();
    }
    await isReady();
  });
});
