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

const TIME = '2026-01-15T12:00:00.000Z';
const SINCE = `since ${TIME}, epoch 57, last beat`;
const FAILING =
  '  → if a worker runs, its sessions may be failing: `syncing` in its /readyz and its log have the reason';
const job = { keys: 1, requestedAt: TIME, progress: null, attempts: 0, lastError: null, nextTryAt: null };

/** What a report has, and lines that follow each other in its description. */
const CASES: readonly (readonly [what: string, Partial<SyncReport>, readonly string[]])[] = [
  [
    'nothing',
    {},
    [
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
    ],
  ],
  ['no generations', { generations: { organizations: 0, newest: [] } }, ['generations  none']],
  [
    'a generation',
    {
      generations: {
        organizations: 1,
        newest: [{ organizationId: 'org_a', generation: Date.UTC(2026, 0) * 1000 }],
      },
    },
    ['generations  latest first', '  org_a: 1767225600000000 (2026-01-01T00:00:00.000Z)'],
  ],
  ['a foreign dashboard', { dashboard: 'It is another one.' }, ['dashboard    It is another one.']],
  ['a leader', { leader: LEADER }, [`leader       host:4711, ${SINCE} 73 ms ago`]],
  [
    'a leader that is frozen',
    { leader: { ...LEADER, lastBeatMs: 61_000, isFrozen: true } },
    [`leader       host:4711, ${SINCE} 61000 ms ago: frozen`, '  → kill it, and start another worker'],
  ],
  [
    'the last leader between two sessions',
    { leader: null, lastLeader: LEADER },
    [
      'leader       none now; the last one, host:4711 in epoch 57, wrote 73 ms ago',
      `${FAILING}; if no worker runs: \`npm run sync\``,
    ],
  ],
  [
    'a leader that began a moment ago, long after the oldest waiting change',
    { leader: { ...LEADER, ledForMs: 700 }, queue: { length: 1, lagMs: 60_000 } },
    [`leader       host:4711, ${SINCE} 73 ms ago`, FAILING, 'lag          60000 ms', 'queue        1 change'],
  ],
  [
    'a leader that began a moment ago, and a change that waits for a moment',
    { leader: { ...LEADER, ledForMs: 700 }, queue: { length: 2, lagMs: 3_000 } },
    [`leader       host:4711, ${SINCE} 73 ms ago`, 'lag          3000 ms', 'queue        2 changes'],
  ],
  [
    'a leader that has led for long, and a change that waits for longer',
    { leader: { ...LEADER, ledForMs: 900_000 }, queue: { length: 10_001, lagMs: 1_200_000 } },
    [
      `leader       host:4711, ${SINCE} 73 ms ago`,
      'lag          1200000 ms',
      'queue        more than 10000 changes',
    ],
  ],
  [
    'jobs',
    {
      work: [
        { ...job, scope: 'tags', keys: 3 },
        { ...job, scope: 'websites', progress: { stage: 2, done: 500, total: null } },
        { ...job, scope: 'everything', keys: 0, progress: { stage: 6, done: 250, total: 50_000 } },
      ],
    },
    [
      'work         tags (3): waits',
      'work         websites (1): 500 rows of stage 3',
      'work         everything: 250/50000 rows of stage 7',
    ],
  ],
  [
    'jobs that fail',
    {
      work: [
        { ...job, scope: 'rows', attempts: 1, lastError: 'value out of range' },
        { ...job, scope: 'tags', attempts: 7, lastError: 'value out of range', nextTryAt: TIME },
      ],
    },
    [
      'work         rows (1): waits',
      '  fails      once, next try at once: value out of range',
      'work         tags (1): waits',
      `  fails      7 times, next try ${TIME}: value out of range`,
    ],
  ],
  ['repairs', { repairs: { rows: 4, lastAt: TIME } }, [`repairs      4 rows, the last at ${TIME}`]],
  [
    'a row that is quarantined',
    { quarantined: [{ kind: 'tags', id: 'tag_1', reason: 'no color', since: TIME }] },
    ['quarantined  1 row', `  tags tag_1: no color (since ${TIME})`],
  ],
  [
    'rows on both sides',
    {
      rows: {
        apiKeys: { dashboard: 2, readTables: 2 },
        categories: { dashboard: 12, readTables: 11 },
        tags: { dashboard: 7, readTables: 7 },
        blogs: { dashboard: 1_234_567, readTables: 1_234_000 },
      },
    },
    [
      'keys                    2            2',
      'categories             12           11',
      'tags                    7            7',
      'blogs shown       1234567      1234000',
    ],
  ],
];

describe('the status of the sync', () => {
  for (const [what, report, lines] of CASES) {
    it(`describes ${what}`, () => {
      expect(linesOf(report).join('\n')).to.include(lines.join('\n'));
    });
  }

  it('shows ten generations and twenty quarantined rows, and how to see the rest', () => {
    const many = <Item>(count: number, item: (n: number) => Item) =>
      Array.from({ length: count }, (_, n) => item(n));
    const newest = many(12, (n) => ({ organizationId: `org_${n}`, generation: 1 }));
    const quarantined = (count: number) =>
      many(count, (n) => ({ kind: 'blogs', id: `${n}`, reason: 'r', since: 's' }));
    const lines = linesOf({ generations: { organizations: 100, newest }, quarantined: quarantined(21) });
    expect(lines).to.include('generations  latest first, 10 of 100 organizations');
    expect(lines.filter((line) => line.startsWith('  org_'))).to.have.length(10);
    expect(lines).to.include('quarantined  21 rows').and.include('  … all of them with --json');
    expect(lines.filter((line) => line.startsWith('  blogs'))).to.have.length(20);
    expect(linesOf({ quarantined: quarantined(20) }).join()).not.to.include('--json');
  });
});
