import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

interface Server {
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

/** Starts a server from its folder as it was before the work. */
export async function rewind(server: Server, folder: string, work: () => Promise<void>): Promise<void> {
  const snapshot = `${folder}-snapshot`;
  await server.kill();
  // The files keep their owner.
  await promisify(execFile)('cp', ['-a', folder, snapshot]);
  await server.startAgain();
  await work();
  await server.kill();
  // The last process of the server may still write for a moment.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  await rename(snapshot, folder);
  await server.startAgain();
}
