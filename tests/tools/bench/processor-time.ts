import { readFile } from 'node:fs/promises';

const MS_PER_TICK = 10;

/** The processor time of all threads of a process since its start, in milliseconds. */
export async function processorTimeOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, userTicks, systemTicks] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(status) ?? [];
  return (Number(userTicks) + Number(systemTicks)) * MS_PER_TICK;
}

/** Includes all processes that it started. */
export async function processorTimeOfAll(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = [pid, ...children.split(' ').filter(Boolean).map(Number)];
  const times = await Promise.all(pids.map(processorTimeOf));
  return times.reduce((sum, time) => sum + time, 0);
}
