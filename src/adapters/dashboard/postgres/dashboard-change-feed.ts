import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/job.js';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { DashboardContentSource } from './dashboard-content-source.js';
import { inSnapshot } from './dashboard-snapshot.js';
import { limitedBySize } from './limited-by-size.js';
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

/** The rows of a query that fit, how many there were, and the snapshot that they are from, even if there are none. */
function withSnapshot(candidates: string): string {
  return `
    with candidates as (${candidates})
    select pg_current_snapshot()::text as snapshot, (select count(*) from candidates)::int as total, id, kind, key, transaction_id, lookup is not null as "isLookup"
    from (values (true)) as moment
      left join (${limitedBySize('select * from candidates', 'key', 'transaction_id, id')}) as fitting on true
    order by transaction_id, id`;
}

/** Groups of kinds that do not wait for later ones. Nothing in a lane is taken while an earlier lane has changes. */
const LANES = [
  { name: 'keys', kind: 'api_keys' },
  { name: 'websites', kind: 'websites' },
  { name: 'all', kind: null },
] as const;
type Lane = (typeof LANES)[number];

const OLDEST = withSnapshot(`
  with ${LANES.map(({ name, kind }, at) => {
    const isFree = LANES.slice(0, at).map((before) => `not exists (select from ${before.name}_waiting)`);
    const condition = [kind === null ? 'true' : `kind = '${kind}'`, ...isFree].join(' and ');
    return `${name}_waiting as (${waiting(name, condition, ':limit')})`;
  }).join(', ')}
  ${LANES.map(({ name }) => `select * from ${name}_waiting`).join(' union all ')}`);

const MAX_SURVEYED = 5_000;
const ALL = withSnapshot(waiting('all', 'true', String(MAX_SURVEYED + 1)));

const QUERIES = { oldest: OLDEST, all: ALL };

/** Each look-up may find thousands of keys, and a statement may only take some seconds. */
const LOOKUP_BATCH_SIZE = 50;

const ACKNOWLEDGE = 'select content_sync.acknowledge(:ids::bigint[])';

/** The changes of the last read. When all of them are acknowledged, the position moves past them. */
interface LastRead {
  readonly waiting: Set<string>;
  readonly move: () => void;
}

/** The queue that the change capture fills. Its only reader is the leader. */
export class DashboardChangeFeed implements ChangeFeed {
  readonly #positions: Readonly<Record<Lane['name'], QueuePosition>> = {
    keys: new QueuePosition(),
    websites: new QueuePosition(),
    all: new QueuePosition(),
  };
  readonly #new: NewChanges;
  #lastRead: LastRead | null = null;
  /** Whether the last read found the queue empty. */
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
      // A single statement costs a third of a transaction with one statement.
      if (this.#isQuiet && (await this.#readChanges(this.database, limit)).length === 0) {
        return { seen: await see([], new DashboardContentSource(this.database, this.mapped)) };
      }
      return this.#inSnapshot(async (snapshot, source) => {
        const changes = await this.#readChanges(snapshot, limit);
        this.#isQuiet = changes.length === 0;
        return lookupsIn(changes) ?? { seen: await see(changes.map(toChange), source) };
      });
    });
  }

  async hasNew(): Promise<boolean> {
    const found = await this.#new.exist();
    if (found) this.#isQuiet = false;
    return found;
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#withoutLookups(() =>
      this.#inSnapshot(async (snapshot, source) => {
        const { isAll, changes } = await this.#read(snapshot, 'all');
        if (!isAll || changes.length > MAX_SURVEYED) return { seen: await see(null, source) };
        return lookupsIn(changes) ?? { seen: await see(changes.map(toChange), source) };
      }),
    );
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    const ids = changes.map(({ id }) => id);
    await this.database.raw(ACKNOWLEDGE, { ids }).options(prepared('acknowledge'));
    const lastRead = this.#lastRead;
    for (const id of ids) lastRead?.waiting.delete(id);
    if (lastRead?.waiting.size !== 0) return;
    this.#lastRead = null;
    lastRead.move();
  }

  /** A look-up runs after the change that noted it was committed. The next read returns the changes that it finds. */
  async #withoutLookups<Seen>(read: () => Promise<ReadResult<Seen>>): Promise<Seen> {
    for (;;) {
      const result = await read();
      if ('seen' in result) return result.seen;
      for (let at = 0; at < result.ids.length; at += LOOKUP_BATCH_SIZE) {
        const ids = result.ids.slice(at, at + LOOKUP_BATCH_SIZE);
        await this.database.raw(ACKNOWLEDGE, { ids }).options(prepared('acknowledge'));
      }
    }
  }

  async #readChanges(database: Knex, limit: number): Promise<readonly StoredChange[]> {
    const { moment, isAll, changes } = await this.#read(database, 'oldest', { limit });
    this.#lastRead = null;
    const last = changes.at(-1);
    const isLast = last === undefined || (isAll && changes.length < limit);
    const upTo = isLast ? null : { transactionId: last.transaction_id, id: last.id };
    for (const lane of LANES) {
      const position = this.#positions[lane.name];
      if (last !== undefined && isIn(lane, last)) {
        this.#lastRead = {
          waiting: new Set(changes.map(({ id }) => id)),
          move: () => position.moveTo(moment, upTo),
        };
        break;
      }
      position.moveTo(moment, null);
    }
    return changes;
  }

  async #read(snapshot: Knex, query: keyof typeof QUERIES, bindings: Readonly<Record<string, number>> = {}) {
    const places = Object.assign({}, ...LANES.map(({ name }) => this.#positions[name].bindings(name)));
    const { rows }: { rows: readonly (Partial<StoredChange> & Moment)[] } = await snapshot
      .raw(QUERIES[query], { ...places, ...bindings })
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

/** The result of `see`, or the ids of look-ups that have to run first. */
type ReadResult<Seen> = { readonly seen: Seen } | { readonly ids: readonly string[] };

interface Moment {
  readonly snapshot: string;
  readonly total: number;
}

interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly transaction_id: string;
  /** The key is not known yet. It is looked up when this change is acknowledged, and added to the queue then. */
  readonly isLookup: boolean;
}

function isIn({ kind }: Lane, change: StoredChange): boolean {
  return kind === null || kind === change.kind;
}

/** The effect of a kind unknown to this version (after a downgrade) is unknown: everything is read again. */
function toChange({ id, kind, key }: StoredChange): Change {
  const known = KINDS[kind];
  return known === undefined ? { id, kind: 'everything', key: null } : { id, kind: known, key };
}

function lookupsIn(changes: readonly StoredChange[]): { readonly ids: readonly string[] } | null {
  const ids = changes.filter(({ isLookup }) => isLookup).map(({ id }) => id);
  return ids.length > 0 ? { ids } : null;
}
