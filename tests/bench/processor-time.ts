import { readFile } from 'node:fs/promises';

const MS_PER_TICK = 10;

/** Of all threads of a process since it started, in milliseconds. */
export async function processorTimeOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, userTicks, systemTicks] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(status) ?? [];
  return (Number(userTicks) + Number(systemTicks)) * MS_PER_TICK;
}
