import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { atMost, type Figure } from './figures.js';
import { processorTimeOf } from './processor-time.js';

const SECONDS = 20;
const PROMISED_PERCENT = 1;

/** The share of one core that the idle sessions of each database use. */
export async function idleCost(databases: Readonly<Record<string, pg.Client>>): Promise<readonly Figure[]> {
  const taken = () => Promise.all(Object.values(databases).map(sessionsTime));
  const before = await taken();
  await pause(SECONDS * 1000);
  const after = await taken();
  return Object.keys(databases).map((name, n) => {
    const milliseconds = (after[n] ?? Number.NaN) - (before[n] ?? 0);
    return atMost(`${name} while idle, of one core`, milliseconds / 10 / SECONDS, PROMISED_PERCENT, ' %');
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
