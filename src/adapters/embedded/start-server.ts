import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, ClusterOptions } from './cluster.js';
import { dataPath } from './data-path.js';
import type { ServerAddress } from './database-url.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { explained } from './explained.js';
import { freePort } from './free-port.js';
import { previousServer } from './previous-server.js';
import { serverArguments } from './server-arguments.js';
import { ServerProcess, ServerStartFailure } from './server-process.js';
import { stopOrphan } from './stop-orphan.js';

export interface StartedServer {
  readonly process: ServerProcess;
  readonly address: ServerAddress;
}

/** Since our check, another program took the port or another run took the folder; or the last child of a killed server still runs. */
const lostRace =
  /Address already in use|lock file "postmaster.pid" (already exists|is empty)|shared memory block .* is still in use/;
const attempts = 5;

/** Stops the server of a killed run. Refuses to start while another run is alive. */
export async function startServer(
  cluster: Cluster,
  options: ClusterOptions,
  log: string,
): Promise<StartedServer> {
  for (let attempt = 1; ; attempt++) {
    const stalePid = await stopPreviousServer(cluster);
    const port = await freePort();
    try {
      const process = await ServerProcess.start({
        postgres: join(options.native, 'bin', 'postgres'),
        args: serverArguments(dataPath(cluster.data), { port, durable: options.durable }),
        data: cluster.data,
        user: options.user,
        log,
        env: stalePid === null ? {} : ignoring(stalePid),
      });
      return { process, address: { port, password: cluster.password } };
    } catch (error) {
      if (!(error instanceof ServerStartFailure)) throw error;
      if (attempt === attempts || !lostRace.test(error.log)) {
        const output = error.log || '(nothing; the disk may be full)';
        throw explained(`PostgreSQL did not start in ${cluster.data}. Its output:`, output, error);
      }
      await sleep(attempt * 200);
    }
  }
}

/** The process id in a stale lock file, or null. */
async function stopPreviousServer(cluster: Cluster): Promise<number | null> {
  const previous = await previousServer(cluster);
  switch (previous.kind) {
    case 'none':
      return null;
    case 'stale':
      return previous.pid;
    case 'orphan':
      await stopOrphan(cluster, previous.pid);
      return null;
    case 'owned':
      throw new EmbeddedPostgresError(
        `The PostgreSQL in ${cluster.data} is already running (process ${previous.owner}). ` +
          'Stop that program first, or start this one in another working directory.',
      );
  }
}

/**
 * PostgreSQL replaces a lock file whose process is dead, or is its own parent or grandparent (a restarted container reuses the same ids).
 * So any other process is no obstacle if it is declared the grandparent. PostgreSQL then removes the file itself, at the moment it needs
 * to.
 */
function ignoring(pid: number): Record<string, string> {
  return { PG_GRANDPARENT_PID: String(pid) };
}
