import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/sync-work.js';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { DashboardContentSource } from './dashboard-content-source.js';
import { inSnapshot } from './dashboard-snapshot.js';
import { firstThatFit } from './first-that-fit.js';
import type { MappedDashboard } from './mapped-dashboard.js';
import { NewChanges } from './new-changes.js';
import { prepared } from './prepared.js';
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
    select pg_current_snapshot()::text as snapshot, (select count(*) from candidates)::int as total, id, kind, key, transaction_id, lookup is not null as "isLookup"
    from (values (true)) as moment
      left join (${firstThatFit('select * from candidates', 'key', 'transaction_id, id')}) as fitting on true
    order by transaction_id, id`;
}

/** Kinds of changes that wait for no others; nothing of a lane is taken while there is something in one before it. */
const LANES = [
  { name: 'keys', kind: 'api_keys' },
  { name: 'websites', kind: 'websites' },
  { name: 'all', kind: null },
] as const;
type Lane = (typeof LANES)[number];

const OLDEST = atOneMoment(`
  with ${LANES.map(({ name, kind }, at) => {
    const isFree = LANES.slice(0, at).map((before) => `not exists (select from ${before.name}_waiting)`);
    const condition = [kind === null ? 'true' : `kind = '${kind}'`, ...isFree].join(' and ');
    return `${name}_waiting as (${waiting(name, condition, ':limit')})`;
  }).join(', ')}
  ${LANES.map(({ name }) => `select * from ${name}_waiting`).join(' union all ')}`);

const MOST_SURVEYED = 5_000;
const ALL = atOneMoment(waiting('all', 'true', String(MOST_SURVEYED + 1)));

const LOOKS = { oldest: OLDEST, all: ALL };

/** Each may find thousands, and a statement has some seconds. */
const LOOKED_UP_AT_ONCE = 50;

const ACKNOWLEDGE = 'select content_sync.acknowledge(:ids::bigint[])';

/** What a look saw: the position of its changes moves on when all of them are forgotten. */
interface Look {
  readonly waiting: Set<string>;
  readonly move: () => void;
}

/** The queue that the change capture fills. It has one reader: the worker that leads. */
export class DashboardChangeFeed implements ChangeFeed {
  readonly #positions: Readonly<Record<Lane['name'], QueuePosition>> = {
    keys: new QueuePosition(),
    websites: new QueuePosition(),
    all: new QueuePosition(),
  };
  readonly #new: NewChanges;
  #lastLook: Look | null = null;
  /** Whether nothing waited when that was asked last. */
  #isQuiet = false;

  constructor(
    private readonly database: Knex,
    private readonly mapped: MappedDashboard,
  ) {
    this.#new = new NewChanges(database, this.#positions.all);
  }

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#withoutLookups(async () => {
      // By a statement alone, which costs a third of a transaction with one.
      if (this.#isQuiet && (await this.#lookAt(this.database, limit)).length === 0) {
        return { seen: await see([], new DashboardContentSource(this.database, this.mapped)) };
      }
      return this.#inSnapshot(async (snapshot, source) => {
        const changes = await this.#lookAt(snapshot, limit);
        this.#isQuiet = changes.length === 0;
        return lookupsIn(changes) ?? { seen: await see(changes.map(toChange), source) };
      });
    });
  }

  async hasNew(): Promise<boolean> {
    const found = await this.#new.isThere();
    if (found) this.#isQuiet = false;
    return found;
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#withoutLookups(() =>
      this.#inSnapshot(async (snapshot, source) => {
        const { isAll, changes } = await this.#read(snapshot, 'all');
        if (!isAll || changes.length > MOST_SURVEYED) return { seen: await see(null, source) };
        return lookupsIn(changes) ?? { seen: await see(changes.map(toChange), source) };
      }),
    );
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    const ids = changes.map(({ id }) => id);
    await this.database.raw(ACKNOWLEDGE, { ids }).options(prepared('acknowledge'));
    const look = this.#lastLook;
    for (const id of ids) look?.waiting.delete(id);
    if (look?.waiting.size !== 0) return;
    this.#lastLook = null;
    look.move();
  }

  /** What is to be looked up is found after the commit of what it was noted for, and seen then. */
  async #withoutLookups<Seen>(look: () => Promise<Looked<Seen>>): Promise<Seen> {
    for (;;) {
      const looked = await look();
      if ('seen' in looked) return looked.seen;
      for (let at = 0; at < looked.ids.length; at += LOOKED_UP_AT_ONCE) {
        const ids = looked.ids.slice(at, at + LOOKED_UP_AT_ONCE);
        await this.database.raw(ACKNOWLEDGE, { ids }).options(prepared('acknowledge'));
      }
    }
  }

  async #lookAt(database: Knex, limit: number): Promise<readonly StoredChange[]> {
    const { moment, isAll, changes } = await this.#read(database, 'oldest', { limit });
    this.#lastLook = null;
    const last = changes.at(-1);
    const isLast = last === undefined || (isAll && changes.length < limit);
    const upTo = isLast ? null : { transactionId: last.transaction_id, id: last.id };
    for (const lane of LANES) {
      const position = this.#positions[lane.name];
      if (last !== undefined && isIn(lane, last)) {
        this.#lastLook = {
          waiting: new Set(changes.map(({ id }) => id)),
          move: () => position.moveTo(moment, upTo),
        };
        break;
      }
      position.moveTo(moment, null);
    }
    return changes;
  }

  async #read(snapshot: Knex, query: keyof typeof LOOKS, bindings: Readonly<Record<string, number>> = {}) {
    const places = Object.assign({}, ...LANES.map(({ name }) => this.#positions[name].bindings(name)));
    const { rows }: { rows: readonly (Partial<StoredChange> & Moment)[] } = await snapshot
      .raw(LOOKS[query], { ...places, ...bindings })
      .options(prepared(query));
    const changes = rows.filter((row): row is StoredChange & Moment => row.id !== null);
    const [{ snapshot: moment, total }] = rows as readonly [Moment];
    return { moment, isAll: changes.length === total, changes };
  }

  #inSnapshot<Seen>(see: (snapshot: Knex, source: ContentSource) => Promise<Seen>): Promise<Seen> {
    return inSnapshot(this.database, ({ database, outlivesFailures }) =>
      see(database, new DashboardContentSource(database, this.mapped, outlivesFailures)),
    );
  }
}

/** What was seen, or the ids of what has to be looked up before anything is. */
type Looked<Seen> = { readonly seen: Seen } | { readonly ids: readonly string[] };

interface Moment {
  readonly snapshot: string;
  readonly total: number;
}

interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly transaction_id: string;
  /** Its key is not known yet: it is found when it is acknowledged, and stands in the queue then. */
  readonly isLookup: boolean;
}

function isIn({ kind }: Lane, change: StoredChange): boolean {
  return kind === null || kind === change.kind;
}

/** What a kind means that this version does not know, as after a way back from a newer one, nobody can say: all is read anew. */
function toChange({ id, kind, key }: StoredChange): Change {
  const known = KINDS[kind];
  return known === undefined ? { id, kind: 'everything', key: null } : { id, kind: known, key };
}

function lookupsIn(changes: readonly StoredChange[]): { readonly ids: readonly string[] } | null {
  const ids = changes.filter(({ isLookup }) => isLookup).map(({ id }) => id);
  return ids.length > 0 ? { ids } : null;
}
