import type { Knex } from 'knex';
import type { Change } from '../../domain/model/sync-work.js';
import type { ChangeFeed } from '../../domain/ports/change-feed.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import { DashboardContentSource } from './dashboard-content-source.js';
import { inSnapshot } from './dashboard-snapshot.js';
import { firstThatFit } from './first-that-fit.js';
import { QueuePosition, waiting } from './queue-position.js';

const KINDS: Readonly<Record<string, Change['kind']>> = {
  api_keys: 'apiKeys',
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  websites: 'websites',
  organizations: 'organizations',
  everything: 'everything',
};

/** The rows of a query that fit, with the moment that it shows, also where there are none, and how many there were. */
function atOneMoment(candidates: string): string {
  return `
    with candidates as (${candidates})
    select pg_current_snapshot()::text as snapshot, (select count(*) from candidates)::int as total, id, kind, key, transaction_id
    from (values (true)) as moment
      left join (${firstThatFit('select * from candidates', 'key', 'transaction_id, id')}) as fitting on true
    order by transaction_id, id`;
}

/** Of the API keys, else of the rest. */
const OLDEST = atOneMoment(`
  with keys_first as (${waiting('keys', `kind = 'api_keys'`, ':limit')}),
    rest as (${waiting('all', 'not exists (select from keys_first)', ':limit')})
  select * from keys_first union all select * from rest`);

const MOST_SURVEYED = 5_000;
const ALL = atOneMoment(waiting('all', 'true', String(MOST_SURVEYED + 1)));

/** What a look saw: the position of its changes moves on when all of them are forgotten. */
interface Look {
  readonly ids: readonly number[];
  readonly move: () => void;
}

/** The queue that the change capture fills. It has one reader: the worker that leads. */
export class DashboardChangeFeed implements ChangeFeed {
  readonly #keys = new QueuePosition();
  readonly #all = new QueuePosition();
  #lastLook: Look | null = null;

  constructor(private readonly database: Knex) {}

  async look<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#inSnapshot(async (snapshot, source) => {
      const { moment, isAll, changes } = await this.#read(snapshot, OLDEST, { limit });
      this.#lastLook = null;
      const last = changes.at(-1);
      const isLast = last === undefined || (isAll && changes.length < limit);
      const upTo = isLast ? null : { transactionId: last.transaction_id, id: last.id };
      if (last?.kind === 'api_keys') {
        this.#lastLook = { ids: changes.map(idOf), move: () => this.#keys.moveTo(moment, upTo) };
      } else {
        this.#keys.moveTo(moment, null);
        const move = () => this.#all.moveTo(moment, upTo);
        if (last === undefined) move();
        else this.#lastLook = { ids: changes.map(idOf), move };
      }
      return see(changes.map(toChange), source);
    });
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#inSnapshot(async (snapshot, source) => {
      const { isAll, changes } = await this.#read(snapshot, ALL);
      return see(isAll && changes.length <= MOST_SURVEYED ? changes.map(toChange) : null, source);
    });
  }

  async forget(changes: readonly Change[]): Promise<void> {
    const ids = changes.map(({ id }) => id);
    await this.database.raw('select content_sync.acknowledge(:ids::bigint[])', { ids });
    const look = this.#lastLook;
    if (look === null || !look.ids.every((id) => ids.includes(id))) return;
    this.#lastLook = null;
    look.move();
  }

  async #read(snapshot: Knex, query: string, bindings: Readonly<Record<string, number>> = {}) {
    const places = { ...this.#keys.bindings('keys'), ...this.#all.bindings('all') };
    const { rows }: { rows: readonly (Partial<StoredChange> & Moment)[] } = await snapshot.raw(query, {
      ...places,
      ...bindings,
    });
    const changes = rows.filter((row): row is StoredChange & Moment => row.id !== null);
    const [{ snapshot: moment, total }] = rows as readonly [Moment];
    return { moment, isAll: changes.length === total, changes };
  }

  #inSnapshot<Seen>(see: (snapshot: Knex, source: ContentSource) => Promise<Seen>): Promise<Seen> {
    return inSnapshot(this.database, (snapshot) => see(snapshot, new DashboardContentSource(snapshot)));
  }
}

interface Moment {
  readonly snapshot: string;
  readonly total: number;
}

interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly transaction_id: string;
}

function idOf({ id }: StoredChange): number {
  return Number(id);
}

function toChange({ id, kind, key }: StoredChange): Change {
  const known = KINDS[kind];
  if (known === undefined) throw new Error(`The change queue has a change of an unknown kind, "${kind}"`);
  return { id: Number(id), kind: known, key };
}
