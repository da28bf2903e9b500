import type { Cluster } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { errorCode } from './error-code.js';
import { isAlive } from './is-alive.js';
import { readLockFile } from './lock-file.js';
import { until } from './until.js';

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one, after which it recovers from its log at the next start. */
const signals = ['SIGINT', 'SIGQUIT'] as const;

/** Ends a server whose program was killed. */
export async function stopOrphan({ data }: Cluster, pid: number): Promise<void> {
  for (const signal of signals) {
    send(pid, signal);
    if (await until(10_000, async () => ((await hasEnded(data, pid)) ? true : null))) return;
  }
  throw new EmbeddedPostgresError(
    `The PostgreSQL of a killed run (process ${pid}) still uses ${data} and does not end. End that process, then start again.`,
  );
}

/** The file counts too: where ended processes are not reaped (some containers), the id seems alive for ever. */
async function hasEnded(data: string, pid: number): Promise<boolean> {
  return !isAlive(pid) || (await readLockFile(data))?.pid !== pid;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
