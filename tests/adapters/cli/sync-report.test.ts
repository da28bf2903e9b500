import { expect } from 'chai';
import { describeSync, type SyncReport } from '../../../src/adapters/cli/sync-report.js';

const LEADER_TIMEOUT_MS = 10_000;
const NOTHING = { dashboard: 0, readTables: 0 };

const LEADER = {
  holder: 'host:4711',
  since: '2026-01-15T12:00:00.000Z',
  epoch: 57,
  ledForMs: 3_600_000,
  lastBeatMs: 73,
  isFrozen: false,
};

function aReport(given: Partial<SyncReport>): SyncReport {
  return {
    leader: null,
    dashboard: null,
    queue: { length: 0, lagMs: null },
    work: [],
    quarantined: [],
    repairs: { rows: 0, lastAt: null },
    rows: { apiKeys: NOTHING, categories: NOTHING, tags: NOTHING, blogs: NOTHING },
    ...given,
  };
}

const linesOf = (given: Partial<SyncReport>) => describeSync(aReport(given), LEADER_TIMEOUT_MS).split('\n');
const lineOf = (label: string, given: Partial<SyncReport>) =>
  linesOf(given).filter((line) => line.startsWith(`${label} `));

describe('the status of the sync', () => {
  it('has a line for each part, even if nothing exists or waits', () => {
    expect(linesOf({})).to.eql([
      'leader       none: run `npm run sync`',
      'lag          none',
      'queue        0 changes',
      'repairs      none',
      'quarantined  none',
      '',
      '                dashboard  read tables',
      'keys                    0            0',
      'categories              0            0',
      'tags                    0            0',
      'blogs shown             0            0',
    ]);
  });

  it('has the generations of the organizations that changed most recently', () => {
    const one = { organizationId: 'org_a', generation: Date.UTC(2026, 0) * 1000 };
    const linesOfOne = linesOf({ generations: { organizations: 1, newest: [one] } });
    expect(linesOfOne.slice(linesOfOne.indexOf('generations  latest first')).slice(0, 2)).to.eql([
      'generations  latest first',
      '  org_a: 1767225600000000 (2026-01-01T00:00:00.000Z)',
    ]);
    const many = Array.from({ length: 12 }, (_, n) => ({ ...one, organizationId: `org_${n}` }));
    const lines = linesOf({ generations: { organizations: 100, newest: many } });
    expect(lines).to.include('generations  latest first, 10 of 100 organizations');
    expect(lines.filter((line) => line.startsWith('  org_'))).to.have.length(10);
    expect(linesOf({ generations: { organizations: 3, newest: [] } })).to.include('generations  none');
  });

  it('explains why a dashboard is not synced', () => {
    expect(linesOf({ dashboard: 'It is another one.' })[1]).to.equal('dashboard    It is another one.');
  });

  it('names the leader and the time of its last beat', () => {
    expect(lineOf('leader', { leader: LEADER })).to.eql([
      'leader       host:4711, since 2026-01-15T12:00:00.000Z, epoch 57, last beat 73 ms ago',
    ]);
  });

  it('says that a leader is frozen, and what to do', () => {
    const leader = { ...LEADER, lastBeatMs: 61_000, isFrozen: true };
    expect(linesOf({ leader }).slice(0, 2)).to.eql([
      'leader       host:4711, since 2026-01-15T12:00:00.000Z, epoch 57, last beat 61000 ms ago: frozen',
      '  → kill it, and start another worker',
    ]);
  });

  it('names the last leader between two sessions of a worker, and where its reason is', () => {
    expect(linesOf({ leader: null, lastLeader: LEADER }).slice(0, 2)).to.eql([
      'leader       none now; the last one, host:4711 in epoch 57, wrote 73 ms ago',
      '  → if a worker runs, its sessions may be failing: `syncing` in its /readyz and its log have the reason; ' +
        'if no worker runs: `npm run sync`',
    ]);
  });

  it('says that sessions may be failing if the leader began a moment ago, and long after the oldest waiting change', () => {
    const advice = (ledForMs: number, lagMs = 60_000) =>
      linesOf({ leader: { ...LEADER, ledForMs }, queue: { length: 1, lagMs } })[1];
    expect(advice(700)).to.match(/^ {2}→ if a worker runs, its sessions may be failing: /);
    expect(advice(700, 3_000)).to.equal('lag          3000 ms');
    expect(advice(900_000, 1_200_000)).to.equal('lag          1200000 ms');
  });

  it('names each session that blocks the worker, and how to end it', () => {
    const session = {
      pid: 4711,
      user: 'postgres',
      application: 'psql',
      since: null,
      tables: ['content_read.tags'],
    };
    const prepared = { pid: 0, user: null, application: null, since: null, tables: [] };
    expect(linesOf({ blocking: [session, prepared] }).slice(1, 5)).to.eql([
      'blocked      by session 4711 (user postgres, application psql), locks content_read.tags',
      '  → wait until it ends, or end it: select pg_terminate_backend(4711)',
      'blocked      by a prepared transaction',
      '  → commit or roll back the transaction that pg_prepared_xacts shows',
    ]);
  });

  it('reports how many changes wait, and for how long', () => {
    expect(lineOf('lag', { queue: { length: 2, lagMs: 0 } })).to.eql(['lag          0 ms']);
    expect(lineOf('queue', { queue: { length: 1, lagMs: 250 } })).to.eql(['queue        1 change']);
    expect(lineOf('queue', { queue: { length: 2, lagMs: 250 } })).to.eql(['queue        2 changes']);
    expect(lineOf('queue', { queue: { length: 10_001, lagMs: 250 } })).to.eql([
      'queue        more than 10000 changes',
    ]);
  });

  it('reports how far each job is', () => {
    const fine = { requestedAt: '2026-01-15T12:00:00.000Z', attempts: 0, lastError: null, nextTryAt: null };
    const work = [
      { ...fine, scope: 'tags', keys: 3, progress: null },
      { ...fine, scope: 'websites', keys: 1, progress: { stage: 2, done: 500, total: null } },
      { ...fine, scope: 'everything', keys: 0, progress: { stage: 6, done: 250, total: 50_000 } },
    ];

    expect(lineOf('work', { work })).to.eql([
      'work         tags (3): waits',
      'work         websites (1): 500 rows of stage 3',
      'work         everything: 250/50000 rows of stage 7',
    ]);
  });

  it('reports how often a failing job has failed, why, and when it is tried again', () => {
    const requestedAt = '2026-01-15T12:00:00.000Z';
    const job = { scope: 'rows', keys: 1, requestedAt, progress: null, lastError: 'value out of range' };
    const work = [
      { ...job, attempts: 1, nextTryAt: null },
      { ...job, attempts: 7, nextTryAt: requestedAt },
    ];

    expect(linesOf({ work }).filter((line) => line.startsWith('  fails'))).to.eql([
      '  fails      once, next try at once: value out of range',
      `  fails      7 times, next try ${requestedAt}: value out of range`,
    ]);
  });

  it('reports how many rows were repaired, and when the last one was', () => {
    const repairs = { rows: 4, lastAt: '2026-01-15T12:00:00.000Z' };

    expect(lineOf('repairs', { repairs })).to.eql([
      'repairs      4 rows, the last at 2026-01-15T12:00:00.000Z',
    ]);
  });

  it('names each row that was quarantined, and why', () => {
    const since = '2026-01-15T12:00:00.000Z';
    const quarantined = [
      { kind: 'tags', id: 'tag_1', reason: 'color does not have the form #rrggbb', since },
    ];
    const lines = linesOf({ quarantined });

    expect(lines).to.include('quarantined  1 row');
    expect(lines).to.include(`  tags tag_1: color does not have the form #rrggbb (since ${since})`);
  });

  it('shows at most twenty of them, and how to see the rest', () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ kind: 'blogs', id: `${n}`, reason: 'r', since: 's' }));
    const shown = (count: number) =>
      linesOf({ quarantined: rows(count) }).filter((line) => line.startsWith('  '));

    expect(lineOf('quarantined', { quarantined: rows(21) })).to.eql(['quarantined  21 rows']);
    expect(shown(20).some((line) => line.includes('--json'))).to.equal(false);
    expect(shown(21).filter((line) => line.startsWith('  blogs'))).to.have.lengthOf(20);
    expect(shown(21)).to.include('  … all of them with --json');
  });

  it('shows the numbers of both sides next to each other', () => {
    const rows = {
      apiKeys: { dashboard: 2, readTables: 2 },
      categories: { dashboard: 12, readTables: 11 },
      tags: { dashboard: 7, readTables: 7 },
      blogs: { dashboard: 1_234_567, readTables: 1_234_000 },
    };

    expect(linesOf({ rows }).slice(-4)).to.eql([
      'keys                    2            2',
      'categories             12           11',
      'tags                    7            7',
      'blogs shown       1234567      1234000',
    ]);
  });
});
