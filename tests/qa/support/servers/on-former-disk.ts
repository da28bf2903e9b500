import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Restores the folder of a server that does not run before and after the work. */
export async function onFormerDisk(folder: string, work: () => Promise<void>): Promise<void> {
  const snapshot = `${folder}-snapshot`;
  // The files keep their owner.
  await promisify(execFile)('cp', ['-a', folder, snapshot]);
  await work();
  // The last process of the server may still write for a moment.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  await rename(snapshot, folder);
}
