import type { Knex } from 'knex';
import type { Change } from '../../domain/model/sync-work.js';
import type { ChangeFeed } from '../../domain/ports/change-feed.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import { DashboardContentSource } from './dashboard-content-source.js';
import { firstThatFit } from './first-that-fit.js';

const KINDS: Readonly<Record<string, Change['kind']>> = {
  api_keys: 'apiKeys',
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  websites: 'websites',
  organizations: 'organizations',
  everything: 'everything',
};

/** Of the API keys, else of the rest. */
const OLDEST = firstThatFit(
  `
  with keys_first as (
    select id, kind, key from content_sync.change_queue where kind = 'api_keys' order by id limit :limit
  ), rest as (
    select id, kind, key from content_sync.change_queue where not exists (select from keys_first) order by id limit :limit
  )
  select * from keys_first union all select * from rest`,
  'key',
  'id',
);

const MOST_SURVEYED = 5_000;
const ALL = `
  with present as (select id, kind, key from content_sync.change_queue order by id limit ${MOST_SURVEYED + 1})
  select fitting.*, (select count(*) from present)::int as total
  from (${firstThatFit('select * from present', 'key', 'id')}) as fitting`;

/** The queue that the change capture fills. It has one reader: the worker that leads. */
export class DashboardChangeFeed implements ChangeFeed {
  constructor(private readonly database: Knex) {}

  async look<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#inSnapshot(async (snapshot, source) => {
      const { rows }: { rows: readonly StoredChange[] } = await snapshot.raw(OLDEST, { limit });
      return see(rows.map(toChange), source);
    });
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#inSnapshot(async (snapshot, source) => {
      const { rows }: { rows: readonly (StoredChange & { total: number })[] } = await snapshot.raw(ALL);
      const total = rows[0]?.total ?? 0;
      return see(total > Math.min(rows.length, MOST_SURVEYED) ? null : rows.map(toChange), source);
    });
  }

  async forget(changes: readonly Change[]): Promise<void> {
    const ids = changes.map(({ id }) => id);
    await this.database.raw('select content_sync.acknowledge(:ids::bigint[])', { ids });
  }

  #inSnapshot<Seen>(see: (snapshot: Knex, source: ContentSource) => Promise<Seen>): Promise<Seen> {
    return this.database.transaction(
      async (snapshot) => see(snapshot, new DashboardContentSource(snapshot)),
      { isolationLevel: 'repeatable read', readOnly: true },
    );
  }
}

interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

function toChange({ id, kind, key }: StoredChange): Change {
  const known = KINDS[kind];
  if (known === undefined) throw new Error(`The change queue has a change of an unknown kind, "${kind}"`);
  return { id: Number(id), kind: known, key };
}
