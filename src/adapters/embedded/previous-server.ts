import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { connect } from './connect.js';
import { databaseUrl } from './database-url.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { errorCode } from './error-code.js';
import { isAlive } from './is-alive.js';
import { type LockFile, lockFilePath, readLockFile } from './lock-file.js';
import { ownerLockKey, ownerSetting } from './owner-lock.js';
import { until } from './until.js';

/**
 * What postmaster.pid refers to. `stale`: a process with that id exists, but it is not the server of this folder (the id was reused, or
 * the folder is a copy). `orphan`: our server, whose program was killed.
 */
export type PreviousServer =
  | { readonly kind: 'none' }
  | { readonly kind: 'stale'; readonly pid: number }
  | { readonly kind: 'orphan'; readonly pid: number }
  | { readonly kind: 'owned'; readonly owner: number };

const unreadableLimitMs = 1_000;
/** A program that has just started its server may not hold the lock yet. */
const lockGraceMs = 5_000;
/** A server opens its port shortly after it writes the file, and closes it shortly before it removes the file. */
const refusedLimitMs = 10_000;
const replyLimitMs = 60_000;

export async function previousServer(cluster: Cluster): Promise<PreviousServer> {
  const reply = await until(replyLimitMs, async (elapsedMs) => {
    const file = await readLockFile(cluster.data);
    if (file === null) return { kind: 'none' } as const;
    if (file.pid === null) return elapsedMs < unreadableLimitMs ? null : await removeLockFile(cluster.data);
    if (!isAlive(file.pid)) return { kind: 'none' } as const;
    if (!(await mayBePostgres(file.pid))) return { kind: 'stale', pid: file.pid } as const;
    return await ask(cluster, { ...file, pid: file.pid }, elapsedMs);
  });
  if (reply !== null) return reply;
  throw new EmbeddedPostgresError(
    `A PostgreSQL of an earlier run may still use ${cluster.data}, but it does not answer. Its process id is in ` +
      'the first line of the file postmaster.pid there: wait until that process ends, or end it, then start again.',
  );
}

/** Null while the server cannot answer. A server without the setting was started by hand. */
async function ask(
  cluster: Cluster,
  { pid, port, status }: LockFile & { pid: number },
  elapsedMs: number,
): Promise<PreviousServer | null> {
  const stale = { kind: 'stale', pid } as const;
  const probe = `probe-${randomUUID()}`;
  try {
    const client = await connect(databaseUrl({ port, password: cluster.password }, 'postgres'));
    try {
      await writeFile(join(cluster.data, probe), '', { flag: 'wx' });
      const { rows } = await client.query(
        `select (pg_stat_file($1, true)).size is not null as here, current_setting($2, true)::int as owner,
           exists (select from pg_locks
                   where locktype = 'advisory' and granted and objsubid = 2 and classid = $3 and objid = $4) as owned`,
        [probe, ownerSetting, ...ownerLockKey],
      );
      const { here, owner, owned } = rows[0];
      if (!here) return stale;
      if (owned || owner === null) return { kind: 'owned', owner: owner ?? pid };
      return isAlive(owner) && elapsedMs < lockGraceMs ? null : { kind: 'orphan', pid };
    } finally {
      await rm(join(cluster.data, probe), { force: true });
      await client.end();
    }
  } catch (error) {
    switch (errorCode(error)) {
      case 'ECONNREFUSED':
        return status === 'ready' || elapsedMs >= refusedLimitMs ? stale : null;
      case '28000':
      case '28P01':
        return stale;
      case 'EACCES':
      case 'ENOSPC':
        throw error;
      default:
        return null;
    }
  }
}

/** Where the system shows process names, a different name avoids waiting for an answer that never comes. */
async function mayBePostgres(pid: number): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() === 'postgres';
  } catch {
    return true;
  }
}

async function removeLockFile(data: string): Promise<PreviousServer> {
  await rm(lockFilePath(data), { force: true });
  return { kind: 'none' };
}
