import type { Knex } from 'knex';
import type { ChangeQueue } from '../../../domain/model/capture.js';
import type { Change } from '../../../domain/model/job.js';

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
export const LANES = ['keys', 'websites', 'others', 'lookups'] as const;
export type Lane = (typeof LANES)[number];

/** The kind of a look-up: the keys that it finds take its place. */
export const LOOKUP = 'lookup';

/** A change as the queue of either engine holds it. */
export interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

/** The queue in the database of a dashboard, in the SQL of one engine. */
export interface StoredQueue {
  isInstalled(): Promise<boolean>;
  /** The oldest changes of the first of these lanes that has any; of look-ups at least one. */
  oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]>;
  /** All changes, oldest first, if `size` says that they are few. */
  all(snapshot: Knex): Promise<readonly StoredChange[]>;
  /** The number of changes, and the size of their keys in bytes. Counts no more than `limit`. */
  size(snapshot: Knex, limit: number): Promise<{ readonly changes: number; readonly bytes: number }>;
  /** Whether a change with a greater id waits. */
  hasAfter(id: bigint): Promise<boolean>;
  acknowledge(ids: readonly string[]): Promise<void>;
  /** Replaces a batch of noted look-ups by the keys that they find. False: none was waiting. */
  lookUp(): Promise<boolean>;
  /** Puts acknowledged changes back into the queue, unless they wait. Returns how many. */
  replay(seconds: number): Promise<number>;
  newest(): Promise<bigint | null>;
  /** From an id at most that of the oldest change, so that deleted rows are not read again. */
  oldest(from: bigint): Promise<bigint | null>;
  lag(): Promise<ChangeQueue>;
}

/** How long acknowledged changes are kept for a replay. */
export const RETENTION_SECONDS = 6 * 60 * 60;

const KINDS: Readonly<Record<string, Change['kind']>> = {
  api_keys: 'apiKeys',
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  websites: 'websites',
  organizations: 'organizations',
  everything: 'everything',
};
/** For all other kinds, a change without a key does not identify a row. */
const NEEDS_NO_KEY: readonly string[] = ['api_keys', 'everything'];

/** A kind of change of a later version, as after a downgrade, has everything read again. */
export function toChange({ id, kind: storedKind, key }: StoredChange): Change {
  const kind = KINDS[storedKind];
  return kind !== undefined && (key !== null || NEEDS_NO_KEY.includes(storedKind))
    ? { id, kind, key }
    : { id, kind: 'everything', key: null };
}
