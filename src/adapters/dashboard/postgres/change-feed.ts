import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/job.js';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { MappedContentSource } from '../source/mapped-content-source.js';
import { inSnapshot } from '../source/readable-rows.js';
import { MAX_SURVEYED, type StoredChange, toChange } from '../source/stored-change.js';
import { hasNewChanges, QueuePosition, waiting } from './capture/queue-position.js';
import type { Dialect } from './dialect.js';
import { prepared } from './read/prepared.js';
import { isTimeOver, limitedBySize } from './read/query-rows.js';

/** The rows of a query that fit, how many there were, and their snapshot. */
function withSnapshot(candidates: string): string {
  return `
    with candidates as (${candidates})
    select pg_current_snapshot()::text as snapshot, (select count(*) from candidates)::int as total, id, kind, key, transaction_id, lookup is not null as "isLookup"
    from (values (true)) as moment
      left join (${limitedBySize('select * from candidates', 'key', 'transaction_id, id')}) as fitting on true
    order by transaction_id, id`;
}

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
const LANES = ['keys', 'websites', 'others', 'lookups'] as const;
type Lane = (typeof LANES)[number];
/** In this form, because the planner takes `lookup is null` for rare, and would sort. */
const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys' and case when lookup is null then true end`,
  websites: `kind = 'websites' and case when lookup is null then true end`,
  others: `case when lookup is null then kind end not in ('api_keys', 'websites')`,
  lookups: 'lookup is not null',
};

/** The lanes in their order, beginning with one of them. */
function lanesFrom(first: Lane): readonly Lane[] {
  const index = LANES.indexOf(first);
  return [...LANES.slice(index), ...LANES.slice(0, index)];
}

function laneAfter(lane: Lane): Lane {
  return LANES[(LANES.indexOf(lane) + 1) % LANES.length] as Lane;
}

/** The oldest changes of the first lane that has any. */
function oldestFrom(first: Lane): string {
  const lanes = lanesFrom(first);
  const parts = lanes.map((lane, index) => {
    const isFree = lanes.slice(0, index).map((before) => `not exists (select from ${before}_waiting)`);
    return `${lane}_waiting as (${waiting(lane, [CONDITIONS[lane], ...isFree].join(' and '), ':limit')})`;
  });
  const all = lanes.map((lane) => `select * from ${lane}_waiting`);
  return withSnapshot(`with ${parts.join(', ')} ${all.join(' union all ')}`);
}

const ALL = withSnapshot(waiting('all', 'true', String(MAX_SURVEYED + 1)));

const QUERIES = {
  keys: oldestFrom('keys'),
  websites: oldestFrom('websites'),
  others: oldestFrom('others'),
  lookups: oldestFrom('lookups'),
  all: ALL,
};

/** Each look-up may find thousands of keys. A revocation may have to wait for one batch. */
const MAX_LOOKUPS = 500;
const LOOKUP_TIMEOUT_MS = 1_000;

const ACKNOWLEDGE = 'select content_sync.acknowledge(:ids::bigint[])';

/** The changes of the last read. Once all are acknowledged, the position moves past them. */
interface LastRead {
  readonly waiting: Set<string>;
  readonly move: () => void;
}

/** The queue that the change capture fills. Its only reader is the leader. */
export class PostgresChangeFeed implements ChangeFeed {
  readonly #positions: Readonly<Record<Lane, QueuePosition>> = {
    keys: new QueuePosition(),
    websites: new QueuePosition(),
    others: new QueuePosition(),
    lookups: new QueuePosition(),
  };
  #first: Lane = 'keys';
  #lookupBatch = MAX_LOOKUPS;
  #lastRead: LastRead | null = null;
  /** Whether the last read found the queue empty. */
  #isQuiet = false;

  constructor(
    private readonly database: Knex,
    private readonly dialect: Dialect,
  ) {}

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return this.#withoutLookups(async () => {
      // A single statement costs a third of a transaction with one statement.
      if (this.#isQuiet && (await this.#readChanges(this.database, limit)).length === 0) {
        return { seen: await see([], new MappedContentSource(this.database, this.dialect)) };
      }
      return this.#inSnapshot(async (snapshot, source) => {
        const changes = await this.#readChanges(snapshot, limit);
        this.#isQuiet = changes.length === 0;
        return lookupsIn(changes) ?? { seen: await see(changes.map(toChange), source) };
      });
    });
  }

  async hasNew(): Promise<boolean> {
    const hasChanges = await hasNewChanges(this.database, this.#positions.others);
    if (hasChanges) this.#isQuiet = false;
    return hasChanges;
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
    const [change] = changes;
    if (change !== undefined) this.#first = laneAfter(laneOf(change));
    const lastRead = this.#lastRead;
    for (const id of ids) lastRead?.waiting.delete(id);
    if (lastRead?.waiting.size !== 0) return;
    this.#lastRead = null;
    lastRead.move();
  }

  /** A look-up runs once its change is committed; the next read returns what it finds. */
  async #withoutLookups<Seen>(read: () => Promise<ReadResult<Seen>>): Promise<Seen> {
    for (;;) {
      const result = await read();
      if ('seen' in result) return result.seen;
      await this.#lookUp(result.ids.slice(0, this.#lookupBatch));
    }
  }

  /** `acknowledge` takes a look-up that exceeds the time limit alone as `everything`. */
  async #lookUp(ids: readonly string[]): Promise<void> {
    this.#first = 'keys';
    try {
      await this.database.transaction(async (transaction) => {
        await transaction.raw(`set local statement_timeout = ${LOOKUP_TIMEOUT_MS}`);
        await transaction.raw(ACKNOWLEDGE, { ids });
      });
      this.#lookupBatch = Math.min(2 * ids.length, MAX_LOOKUPS);
    } catch (error) {
      if (!isTimeOver(error)) throw error;
      this.#lookupBatch = Math.max(1, Math.floor(ids.length / 2));
    }
  }

  async #readChanges(database: Knex, limit: number): Promise<readonly WaitingChange[]> {
    const { moment, isAll, changes } = await this.#read(database, this.#first, { limit });
    this.#lastRead = null;
    const last = changes.at(-1);
    const isLast = last === undefined || (isAll && changes.length < limit);
    const upTo = isLast ? null : { transactionId: last.transaction_id, id: last.id };
    for (const lane of lanesFrom(this.#first)) {
      const position = this.#positions[lane];
      if (last !== undefined && lane === laneOfStored(last)) {
        this.#lastRead = {
          waiting: new Set(changes.map(({ id }) => id)),
          move: () => position.moveTo(moment, upTo),
        };
        break;
      }
      position.moveTo(moment, null);
    }
    if (last === undefined) this.#first = 'keys';
    return changes;
  }

  async #read(snapshot: Knex, query: keyof typeof QUERIES, bindings: Readonly<Record<string, number>> = {}) {
    const places = Object.assign(
      new QueuePosition().bindings('all'),
      ...LANES.map((lane) => this.#positions[lane].bindings(lane)),
    );
    const { rows }: { rows: readonly (Partial<WaitingChange> & Moment)[] } = await snapshot
      .raw(QUERIES[query], { ...places, ...bindings })
      .options(prepared(query));
    const changes = rows.filter((row): row is WaitingChange & Moment => row.id !== null);
    const [{ snapshot: moment, total }] = rows as readonly [Moment];
    return { moment, isAll: changes.length === total, changes };
  }

  #inSnapshot<Seen>(see: (snapshot: Knex, source: ContentSource) => Promise<Seen>): Promise<Seen> {
    return inSnapshot(this.database, this.dialect, ({ database, outlivesFailures }) =>
      see(database, new MappedContentSource(database, this.dialect, outlivesFailures)),
    );
  }
}

/** The result of `see`, or the ids of look-ups that have to run first. */
type ReadResult<Seen> = { readonly seen: Seen } | { readonly ids: readonly string[] };

interface Moment {
  readonly snapshot: string;
  readonly total: number;
}

interface WaitingChange extends StoredChange {
  readonly transaction_id: string;
  /** The key is looked up when this change is acknowledged, and queued then. */
  readonly isLookup: boolean;
}

function laneOfStored({ kind, isLookup }: WaitingChange): Lane {
  return isLookup ? 'lookups' : kind === 'api_keys' ? 'keys' : kind === 'websites' ? 'websites' : 'others';
}

function laneOf({ kind }: Change): Lane {
  return kind === 'apiKeys' ? 'keys' : kind === 'websites' ? 'websites' : 'others';
}

function lookupsIn(changes: readonly WaitingChange[]): { readonly ids: readonly string[] } | null {
  const ids = changes.filter(({ isLookup }) => isLookup).map(({ id }) => id);
  return ids.length > 0 ? { ids } : null;
}
