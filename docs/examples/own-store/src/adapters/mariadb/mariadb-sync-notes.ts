import type {
  CaptureChange,
  CaptureLook,
  DatabaseIdentity,
  SyncedDatabase,
  SyncNotes,
} from 'blog-content-read-api/ports';
import { captureChange } from 'blog-content-read-api/ports';
import type { Database } from './database.js';
import { requireLeadership } from './mariadb-leadership.js';
import { updateJobs } from './update-jobs.js';

/** Stored in the database of the read model, and written on the connection on which the worker became the leader. */
export class MariadbSyncNotes implements SyncNotes {
  constructor(private readonly database: Database) {}

  /** Servers that replicate each other have different ids. So a replica that takes over is another server, which may lack the last commits. */
  async identity(): Promise<DatabaseIdentity> {
    const [row] = await this.database.query<{ systemIdentifier: string; databaseOid: string }>(
      `select concat(id, ' on server ', @@server_id) as systemIdentifier, database() as databaseOid from installation`,
    );
    if (row === undefined) throw new Error('The table installation has no row: run `npm run migrate`');
    return { ...row, timeline: 1 };
  }

  async lastIdentity(name: SyncedDatabase): Promise<DatabaseIdentity | null> {
    const [row] = await this.database.query<DatabaseIdentity>(
      `select system_identifier as systemIdentifier, database_oid as databaseOid, timeline
       from known_databases where name = :name`,
      { name },
    );
    return row ?? null;
  }

  async remember(name: SyncedDatabase, identity: DatabaseIdentity): Promise<void> {
    await this.database.execute(
      `replace into known_databases (name, system_identifier, database_oid, timeline)
       values (:name, :systemIdentifier, :databaseOid, :timeline)`,
      { name, ...identity },
    );
  }

  noteCapture(epoch: number, look: CaptureLook): Promise<CaptureChange> {
    return this.database.transaction(async (session) => {
      await requireLeadership(session, epoch);
      const [stored] = await session.query<{ seen: string | null; isBroken: number }>(
        'select capture_seen as seen, capture_is_broken as isBroken from sync_lead',
      );
      const seen = stored?.seen == null ? null : JSON.parse(stored.seen);
      const { change, noted, jobs } = captureChange({ seen, isBroken: stored?.isBroken === 1 }, look);
      await updateJobs(session, jobs);
      await session.execute('update sync_lead set capture_seen = :seen, capture_is_broken = :isBroken', {
        seen: noted.seen === null ? null : JSON.stringify(noted.seen),
        isBroken: Number(noted.isBroken),
      });
      return change;
    });
  }
}
