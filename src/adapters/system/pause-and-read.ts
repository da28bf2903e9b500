import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** For whoever gives up afterwards: a process that was busy for as long reads first what has arrived meanwhile. */
export async function pauseAndRead(milliseconds: number): Promise<void> {
  await pause(milliseconds);
  await nextTurn();
}
