import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** For a caller that gives up afterwards: a process that was busy for that long reads first what has arrived in the meantime. */
export async function pauseAndRead(milliseconds: number): Promise<void> {
  await pause(milliseconds);
  await nextTurn();
}
