import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { atMost, delay, type Figure, type Note } from './figures.js';
import { aroundIt, bulkUpdate, fanOuts, rebuild, rebuilds } from './long-work.js';
import { processorTimeOf } from './processor-time.js';
import { BLOGS, SyncStage } from './sync-stage.js';
import { Visibility } from './visibility.js';

const EDITS = 100;
const REVOCATIONS = 50;
const MOVES = 4;
/** The owners of the website that moves between organizations. */
const OWNERS = 2;
const PROMISED_MOVE_MS = 1_000;
const IDLE_SECONDS = 20;
const PROMISED_IDLE_PERCENT = 1;

type During = (stage: SyncStage, measure: () => Promise<void>) => Promise<void>;

const SITUATIONS: Readonly<Record<string, readonly [promisedMs: number, During]>> = {
  'nothing else going on': [60, (_stage, measure) => measure()],
  'a fan-out going on': [100, (stage, measure) => aroundIt(fanOuts(stage), measure)],
  'a rebuild going on': [100, (stage, measure) => aroundIt(rebuilds(stage), measure)],
};

export async function measureSync(note: Note): Promise<void> {
  const stage = await SyncStage.set(Object.keys(SITUATIONS).length * (REVOCATIONS + 1) + OWNERS);
  try {
    await measureOn(stage, note);
  } finally {
    await stage.strike();
  }
}

export async function measureBulk(note: Note): Promise<void> {
  const stage = await SyncStage.set(0);
  try {
    await rebuild(stage, 'fills empty read tables');
    await stage.run('sync').printed(/this worker leads/);
    note(await bulkUpdate(stage));
  } finally {
    await stage.strike();
  }
}

async function measureOn(stage: SyncStage, note: Note): Promise<void> {
  note(...(await rebuild(stage, 'fills empty read tables')));
  note(...(await rebuild(stage, 'finds no changes')));

  const worker = stage.run('sync');
  await worker.printed(/this worker leads/);
  const address = await stage.run('api').printed(/"address":"([^"]+)"/);
  note(...(await idleCost({ "the dashboard's database": stage.write, 'the read tables': stage.read })));
  const visibility = new Visibility(stage.dashboard, stage.write, address);
  for (const [situation, [promisedMs, during]] of Object.entries(SITUATIONS)) {
    await during(stage, async () => {
      const edits = await visibility.ofEdits(EDITS);
      note(delay(`commit to visible, ${situation}`, edits, promisedMs));
      const revocations = await visibility.ofRevocations(REVOCATIONS);
      note(delay(`commit to 401, ${situation}`, revocations, promisedMs));
    });
  }
  const moves = await visibility.ofMoves('web_large', MOVES);
  note(
    delay(
      `website of ${BLOGS} blogs moves to another organization, until the former owner sees none`,
      moves,
      PROMISED_MOVE_MS,
    ),
  );
}

/** The share of one core that the idle sessions of each database use. */
async function idleCost(databases: Readonly<Record<string, pg.Client>>): Promise<readonly Figure[]> {
  const taken = () => Promise.all(Object.values(databases).map(sessionsTime));
  const before = await taken();
  await pause(IDLE_SECONDS * 1000);
  const after = await taken();
  return Object.keys(databases).map((name, n) => {
    const milliseconds = (after[n] ?? Number.NaN) - (before[n] ?? 0);
    return atMost(
      `${name} while idle, of one core`,
      milliseconds / 10 / IDLE_SECONDS,
      PROMISED_IDLE_PERCENT,
      ' %',
    );
  });
}

/**
 * In milliseconds. Sessions stay open: the worker opens its sessions once, and the API keeps its own for longer than
 * the measurement. What autovacuum still does after the fill does not count.
 */
async function sessionsTime(client: pg.Client): Promise<number> {
  const { rows }: { rows: { pid: number }[] } = await client.query(
    `select pid from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  const times = await Promise.all(rows.map(({ pid }) => processorTimeOf(pid)));
  return times.reduce((sum, time) => sum + time, 0);
}
