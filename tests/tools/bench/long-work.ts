import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunningProgram } from '../../support/programs/program.js';
import { atLeast, atMost, type Figure } from './figures.js';
import { BLOGS, type SyncStage } from './sync-stage.js';
import { until } from './visibility.js';

const PROMISED_BLOGS_PER_SECOND = 4_000;
const BULK = 20_000;
const PROMISED_BULK_SECONDS = 3;
const POLL_MS = 100;

/** Work that is repeated while something else is measured, until `isOver`. */
type Repeated = (isOver: () => boolean) => Promise<void>;

export async function aroundIt(repeat: Repeated, measure: () => Promise<void>): Promise<void> {
  let isOver = false;
  const repeated = repeat(() => isOver);
  try {
    await measure();
  } finally {
    isOver = true;
    await repeated;
  }
}

/** Keeps at least one fan-out in progress. */
export function fanOuts({ write }: SyncStage): Repeated {
  return async (isOver) => {
    for (let n = 0; !isOver(); n++) {
      await write.query('update categories set name = $1 where id = $2', [`Wide ${n}`, 'wide']);
      await pause(POLL_MS);
    }
  };
}

/** Requests rebuilds, which the running worker performs. */
export function rebuilds(stage: SyncStage): Repeated {
  return async (isOver) => {
    while (!isOver()) await stage.run('sync', '--rebuild').exitCode();
  };
}

/** Measures the command from its start to its end. */
export async function rebuild(stage: SyncStage, does: string): Promise<Figure> {
  const { seconds } = await timed(stage.run('sync', '--rebuild'));
  const what = `--rebuild of ${BLOGS} blogs ${does}`;
  return atLeast(what, BLOGS / seconds, PROMISED_BLOGS_PER_SECOND, ' blogs/s');
}

/** The duration of the work, and the peak memory of the process. */
export async function timed(
  command: RunningProgram,
): Promise<{ readonly seconds: number; readonly megabytes: number }> {
  let peak = 0;
  let hasEnded = false;
  const begin = performance.now();
  const ended = command.exitCode().finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    peak = Math.max(peak, await peakMegabytesOf(command.pid));
    await Promise.race([ended, pause(POLL_MS)]);
  }
  if ((await ended) !== 0) throw new Error(`The rebuild failed:\n${command.output}`);
  return { seconds: (performance.now() - begin) / 1000, megabytes: peak };
}

export async function bulkUpdate({ write, read }: SyncStage): Promise<Figure> {
  await write.query(
    `update blogs set title = 'Bulk ' || id where id in (select 'large_' || n from generate_series(1, $1) as n)`,
    [BULK],
  );
  const seconds =
    (await until(async () => {
      const { rows } = await read.query(
        `select count(*)::int as total from content_read.blogs where organization_id = 'large' and title like 'Bulk %'`,
      );
      return rows[0].total === BULK;
    }, POLL_MS)) / 1000;
  const what = `bulk update of ${BULK} blogs, until all are in the read tables`;
  return atMost(what, seconds, PROMISED_BULK_SECONDS, ' s');
}

/** Zero once the process has ended. */
async function peakMegabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
