import { dataFolder, openCluster } from './cluster.js';
import { databaseUrl } from './database-url.js';
import { isAlive } from './is-alive.js';
import { readLockFile } from './lock-file.js';

/** The address of a database in the PostgreSQL that another process runs in this folder; null: none is running there. */
export async function urlOfRunning(directory: string, database: string): Promise<string | null> {
  const cluster = await openCluster(directory);
  const server = await readLockFile(dataFolder(directory));
  if (cluster === null || server === null || server.pid === null || !isAlive(server.pid)) return null;
  return databaseUrl({ port: server.port, password: cluster.password }, database);
}
