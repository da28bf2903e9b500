import type { Knex } from 'knex';
import { LeadershipLost } from '../../../domain/errors.js';
import type { CaptureChange, CaptureLook } from '../../../domain/model/capture.js';
import { captureChange } from '../../../domain/policies/capture-change.js';
import type { DatabaseIdentity, SyncedDatabase, SyncNotes } from '../../../domain/ports/sync/sync-notes.js';
import { readTablesIdentity } from '../../sql/postgres/server-identity.js';
import { updateJobs } from './update-jobs.js';

const KNOWN = `
  select system_identifier as "systemIdentifier", database_oid::text as "databaseOid", timeline::float8 as timeline
  from content_read.known_databases where name = ?`;

const REMEMBER = `
  insert into content_read.known_databases as known (name, system_identifier, database_oid, timeline)
  values (:name, :systemIdentifier, :databaseOid, :timeline)
  on conflict (name) do update set system_identifier = excluded.system_identifier, database_oid = excluded.database_oid,
    timeline = excluded.timeline, since = excluded.since
  where (known.system_identifier, known.database_oid, known.timeline)
    is distinct from (excluded.system_identifier, excluded.database_oid, excluded.timeline)`;

interface StoredCapture {
  readonly capture_seen: CaptureLook['seen'] | null;
  readonly capture_is_broken: boolean;
}

/** Writes on the connection on which the worker became leader, as all its writes do. */
export class PostgresSyncNotes implements SyncNotes {
  constructor(private readonly database: Knex) {}

  identity(): Promise<DatabaseIdentity> {
    return readTablesIdentity(this.database);
  }

  async lastIdentity(database: SyncedDatabase): Promise<DatabaseIdentity | null> {
    const { rows }: { rows: DatabaseIdentity[] } = await this.database.raw(KNOWN, [database]);
    return rows[0] ?? null;
  }

  async remember(database: SyncedDatabase, identity: DatabaseIdentity): Promise<void> {
    await this.database.raw(REMEMBER, { name: database, ...identity });
  }

  noteCapture(epoch: number, look: CaptureLook): Promise<CaptureChange> {
    return this.database.transaction(async (transaction) => {
      const leader = transaction.withSchema('content_read').from('sync_leader');
      const [stored]: readonly StoredCapture[] = await leader
        .clone()
        .where({ epoch })
        .whereRaw('backend_pid = pg_backend_pid()')
        .forUpdate()
        .select('capture_seen', 'capture_is_broken');
      if (stored === undefined) throw new LeadershipLost(epoch);
      const before = { seen: stored.capture_seen, isBroken: stored.capture_is_broken };
      const { change, noted, jobs } = captureChange(before, look);
      if (jobs.length > 0) await updateJobs(transaction, jobs, 0);
      const isNew = before.seen === null && noted.seen !== null;
      if (isNew || change.kind !== 'none') {
        const seen = noted.seen === null ? null : JSON.stringify(noted.seen);
        await leader.update({ capture_seen: seen, capture_is_broken: noted.isBroken });
      }
      return change;
    });
  }
}
