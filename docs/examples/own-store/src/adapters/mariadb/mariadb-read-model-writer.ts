import type {
  DueRow,
  ReadModelChange,
  ReadModelUpdate,
  ReadModelWriter,
  RowKind,
} from 'blog-content-read-api/ports';
import type { Database, Session } from './database.js';
import { deleteSettledWebsites, hideWebsites } from './hidden-websites.js';
import { requireLeadership } from './mariadb-leadership.js';
import { movedWebsites } from './moved-websites.js';
import { raiseGenerations } from './raise-generations.js';
import { READ_TABLES } from './read-tables.js';
import { type ReplacedRow, replaceRows, replaceUnshown } from './replace-rows.js';
import { updateJobs } from './update-jobs.js';

/** Limits the keys that are read at once, because unshown rows may have long ones. */
const KEYS_BYTES = 1024 * 1024;

/** Writes on the connection on which its worker became the leader: see MariadbLeadership. */
export class MariadbReadModelWriter implements ReadModelWriter {
  constructor(private readonly database: Database) {}

  /** Totals are counted at request time, so none is recounted. */
  write(
    epoch: number,
    { slices, jobs, owners = [], raisesAll = false }: ReadModelUpdate,
  ): Promise<ReadModelChange> {
    return this.database.transaction(async (session) => {
      await requireLeadership(session, epoch);
      const replaced: ReplacedRow[] = [];
      let isSettled = jobs.some(({ kind }) => kind === 'finish');
      for (const slice of slices) {
        replaced.push(...(await replaceRows(session, slice)));
        isSettled = (await replaceUnshown(session, slice)) || isSettled;
      }
      await updateJobs(session, jobs);
      const moved = movedWebsites(replaced);
      const hidden = await hideWebsites(session, [...owners, ...moved.owners], moved.former);
      if (isSettled) await deleteSettledWebsites(session);
      const all = raisesAll ? await allOrganizations(session) : [];
      const changed = replaced.flatMap(({ stored, row }) =>
        [stored, row].flatMap((each) => each?.organizationId ?? []),
      );
      const raised = new Set([...changed, ...hidden, ...all]);
      return { changedRows: replaced.length, raised: await raiseGenerations(session, raised) };
    });
  }

  async hiddenWebsites(): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(
      'select distinct website_id as id from hidden_websites',
    );
    return rows.map(({ id }) => id);
  }

  async nextOrganizations(after: string | null, limit: number): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(
      'select organization_id as id from organizations where :after is null or organization_id > :after order by organization_id limit :limit',
      { after, limit },
    );
    return rows.map(({ id }) => id);
  }

  async keys(kind: RowKind, after: string | null, limit: number): Promise<readonly string[]> {
    const isNext = '(:after is null or id > :after) order by id limit :limit';
    const rows = await this.database.query<{ id: string }>(
      `(select id from ${READ_TABLES[kind].name} where ${isNext})
       union (select id from unshown_rows where kind = :kind and ${isNext})
       order by id limit :limit`,
      { kind, after, limit },
    );
    let bytes = 0;
    const ids = rows.map(({ id }) => id);
    return ids.filter((id) => {
      const fits = bytes < KEYS_BYTES;
      bytes += Buffer.byteLength(id);
      return fits;
    });
  }

  async unshown(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.query<{ id: string }>(
      'select id from unshown_rows where kind = :kind and id in (:ids)',
      { kind, ids },
    );
    return rows.map(({ id }) => id);
  }

  async countUnshown(kind: RowKind): Promise<number> {
    const [counted] = await this.database.query<{ total: number }>(
      'select count(*) as total from unshown_rows where kind = :kind',
      { kind },
    );
    return Number(counted?.total);
  }

  async dueRows(limit: number): Promise<readonly DueRow[]> {
    const rows = await this.database.query<DueRow>(
      'select kind, id, attempts from unshown_rows where retry_at <= utc_timestamp(6) order by retry_at limit :limit',
      { limit },
    );
    return rows.map(({ kind, id, attempts }) => ({ kind, id, attempts: Number(attempts) }));
  }
}

async function allOrganizations(session: Session): Promise<readonly string[]> {
  const rows = await session.query<{ id: string }>('select organization_id as id from organizations');
  return rows.map(({ id }) => id);
}
